// Any case of tool use, common or invented.
import type { Random } from '../../random.js';
import { COMMON_TOOLS } from './common.js';
import { invented } from './invented.js';
import type { ToolCase } from './tool-case.js';

const TOOLS = [...COMMON_TOOLS, [invented, 32] as const];

/** A case of any tool, common or invented. */
export function drawCase(random: Random): ToolCase {
  return random.weighted(TOOLS)(random);
}
