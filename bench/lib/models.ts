// The model files the benchmarks use: the built-in demo model, and generated ones, kept between runs.

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeRandomModel } from '../../test/support/random-model.js';
import { PRESETS, type Preset } from './model-presets.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** The built-in demo model. */
export const DEMO_MODEL = join(ROOT, 'models', 'demo', 'koine-demo-q8_0.gguf');

/** A generated model's file, made when it is not there yet. */
export function generatedModel(preset: Preset): string {
  const folder = join(ROOT, '.koine', 'bench');
  const file = join(folder, `${preset}.gguf`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  console.error(`making ${preset}.gguf ...`);
  const draft = `${file}.${process.pid}`;
  writeRandomModel(draft, PRESETS[preset]);
  renameSync(draft, file);
  return file;
}
