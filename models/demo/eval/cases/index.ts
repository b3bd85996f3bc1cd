// All cases of the evaluation, in the order of its table.
import type { Case } from '../case.js';
import { extractionCases } from './extraction.js';
import { knowledgeCases } from './knowledge.js';
import { numberCases } from './numbers.js';
import { talkCases } from './talk.js';
import { toolCases } from './tools.js';
import { writingCases } from './writing.js';

/** Every case; the same ones at every call. */
export function allCases(): readonly Case[] {
  return [
    ...talkCases(),
    ...knowledgeCases(),
    ...numberCases(),
    ...toolCases(),
    ...extractionCases(),
    ...writingCases(),
  ];
}
