// Entry of an engine process: where the engine meets the native room. Started by the supervisor with a channel;
// ends when told to, or when the server process is gone.

import { EngineHost, type EngineOptions, type FromEngine, type ToEngine } from '../engine/index.js';
import { createLlamaRunner } from '../native/index.js';

/** Lines of llama.cpp below this level are not worth a message. */
const RANK = { trace: 0, debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

function send(message: FromEngine, then?: () => void): void {
  // Without a channel the server process is gone, and 'disconnect' ends this one.
  if (process.connected) process.send?.(message, undefined, undefined, () => then?.());
}

function load(options: EngineOptions): EngineHost {
  const runner = createLlamaRunner(options, ({ level, text }) => {
    // llama.cpp tells a great deal about itself while loading; its "info" is our "debug".
    const ours = level === 'info' ? 'debug' : level;
    if (RANK[ours] >= RANK[options.logLevel]) send({ kind: 'log', level: ours, text });
  });
  return new EngineHost({
    runner,
    options,
    send,
    facts: runner.facts,
    maxEmbedTokens: runner.maxEmbedTokens,
    librarySource: runner.librarySource,
  });
}

function main(): void {
  process.title = `koine engine ${process.argv[2] ?? ''}`;
  let host: EngineHost | undefined;
  // Signals from the terminal reach the whole group; the server process decides when this one ends.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (received) => {
    const message = received as ToEngine;
    if (message.kind === 'stop') process.exit(0);
    if (message.kind !== 'start') {
      host?.receive(message);
      return;
    }
    try {
      host = load(message.options);
      host.start();
    } catch (error) {
      send({ kind: 'fatal', message: error instanceof Error ? error.message : String(error) }, () =>
        process.exit(2),
      );
    }
  });
}

main();
