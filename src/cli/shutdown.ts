// Ending on request: the first SIGTERM or SIGINT drains, a second one ends at once.

/** What to do and what it may use of the process; tests hand in their own. */
export interface ShutdownSteps {
  /** Finishes what runs. Must settle within the limits it was given. */
  drain(signal: NodeJS.Signals): Promise<void>;
  /** Tells what went wrong. */
  report(error: unknown): void;
  /** Ends the process. */
  exit(code: number): void;
  now(): number;
}

/**
 * Signals that follow the first within this time are the same request: a terminal sends its interrupt to npm and to
 * the server, and npm passes its own on.
 */
const SAME_REQUEST_MS = 500;
const NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 2, SIGTERM: 15 };

/** Makes the handler for SIGTERM and SIGINT. Exits 0 after the drain, 1 if it failed, 128 + signal when told twice. */
export function shutdownHandler(steps: ShutdownSteps): (signal: NodeJS.Signals) => void {
  let firstAt: number | undefined;
  return (signal) => {
    const now = steps.now();
    if (firstAt !== undefined) {
      if (now - firstAt >= SAME_REQUEST_MS) steps.exit(128 + (NUMBERS[signal] ?? 0));
      return;
    }
    firstAt = now;
    steps.drain(signal).then(
      () => steps.exit(0),
      (error: unknown) => {
        steps.report(error);
        steps.exit(1);
      },
    );
  };
}
