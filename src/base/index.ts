// A few pure things used by three rooms or more. Imports nothing.

export { assertNever } from './assert-never.js';
export { type Clock, systemClock } from './clock.js';
