export const root: string;
export class NotReady extends Error {}
export function makeReady(): void;
export function orExplain(work: () => void | Promise<void>): Promise<void>;
export function ensureNode(): void;
export function ensureInstalled(): void;
export function ensureBuilt(): void;
export function npmCommand(args: readonly string[]): string[];
