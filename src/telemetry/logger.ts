// The log: one JSON object per line, or one readable line per record on a terminal. Prompt text is never logged
// here; whoever wants it asks for it in the engine's options.

import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** Severity names, most talkative first; `silent` writes nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A structured logger; `child({ requestId })` adds fields to every record. */
export type Logger = PinoLogger;

/** How the log is written. */
export interface LoggerOptions {
  readonly level: LogLevel;
  /** Readable lines instead of JSON. */
  readonly pretty?: boolean;
  /** Where lines go; the process's standard error when absent. */
  readonly destination?: DestinationStream;
}

/** Creates the process's logger. Times are ISO 8601, levels are names. */
export function createLogger(options: LoggerOptions): Logger {
  const destination = options.destination ?? process.stderr;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // A stack is kept in the log (never in an answer), where it helps whoever runs the server.
      serializers: { err: pino.stdSerializers.err },
    },
    options.pretty === true ? { write: (line) => void destination.write(prettyLine(line)) } : destination,
  );
}

/** `12:34:56.789 INFO  message  key=value ...` from one JSON record; the record itself when it cannot be read. */
export function prettyLine(line: string): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { time, level, msg, err, ...fields } = record;
  const clock = typeof time === 'string' ? time.slice(11, 23) : '';
  const extras = Object.entries(fields).map(([key, value]) => `${key}=${plain(value)}`);
  const stack = err !== null && typeof err === 'object' && 'stack' in err ? `\n${String(err.stack)}` : '';
  const tail = extras.length > 0 ? `  ${extras.join(' ')}` : '';
  return `${clock} ${String(level ?? '')
    .toUpperCase()
    .padEnd(5)} ${String(msg ?? '')}${tail}${stack}\n`;
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
}
