// Command: writes a random-weight model file. `tsx bench/make-model.ts --preset 0.5b-q4_0 --out FILE`

import { parseArgs } from 'node:util';
import { writeRandomModel } from '../test/support/random-model.js';
import { isPreset, PRESETS } from './lib/model-presets.js';

const { values } = parseArgs({ options: { preset: { type: 'string' }, out: { type: 'string' } } });
const { preset, out } = values;
if (preset === undefined || out === undefined || !isPreset(preset)) {
  console.error(`usage: make-model --preset ${Object.keys(PRESETS).join('|')} --out FILE`);
  process.exit(2);
}
const started = performance.now();
writeRandomModel(out, PRESETS[preset]);
console.log(`${out} written in ${((performance.now() - started) / 1000).toFixed(1)} s`);
