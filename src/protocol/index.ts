// The common tongue: plain types every room may use. Imports nothing outside this folder.

export type * from './constraint.js';
export { NEUTRAL_OUTPUT, NEUTRAL_SAMPLING, NEUTRAL_STOP } from './defaults.js';
export type * from './engine.js';
export {
  ERROR_MESSAGES,
  type ErrorCode,
  type ErrorDetails,
  type Failure,
  KoineError,
  toFailure,
} from './errors.js';
export type * from './event.js';
export type * from './generate.js';
export type * from './library.js';
export type * from './message.js';
export { isPlainText, parameterTypes, typeOfValue, type ValueType } from './schema-types.js';
export { STEP_TIME_BOUNDS_MS, type StepFigures, type StepTimes, type TimeCounts } from './step-figures.js';
