// Logs and figures: what the server says about itself.

export { type HealthReport, healthReport } from './health.js';
export { createLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
export { type EngineReading, type GenerationLabels, Metrics, type Outcome } from './metrics.js';
export { RequestMeter } from './request-meter.js';
