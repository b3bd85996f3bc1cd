// Loads XGrammar's WebAssembly build. The package calls itself an ES module but holds a UMD bundle, which plain
// `import` cannot read; run by hand it also takes a console and a WebAssembly of our own, and with them a limit on
// its memory and the text of its complaints. Every call makes a separate instance.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

export type XGrammar = typeof import('@mlc-ai/web-xgrammar');

export interface LoadedXGrammar {
  readonly api: XGrammar;
  /** Bytes of WebAssembly memory in use; 0 before the first call into the library. */
  memoryBytes(): number;
  /** Whether it asked for more than it may have. It aborts then without saying why. */
  isFull(): boolean;
  /** Complaints written since the last call, joined. */
  takeMessages(): string;
}

/** The parts of WebAssembly used here; the compiler's library for Node does not declare them. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface WasmInstance {
  readonly instance: { readonly exports: Readonly<Record<string, unknown>> };
}
interface Wasm {
  instantiate(binary: unknown, imports: unknown): Promise<WasmInstance>;
  readonly Memory: new (limits: { initial: number }) => WasmMemory;
}

const WASM_PAGE = 65_536;

/** Loads an instance whose memory may grow to `memoryLimitBytes`; beyond it the instance aborts. */
export function loadXGrammar(memoryLimitBytes: number): LoadedXGrammar {
  const require = createRequire(import.meta.url);
  const path = require.resolve('@mlc-ai/web-xgrammar');
  const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  let memory: WasmMemory | undefined;
  let messages: string[] = [];
  let isFull = false;

  const instantiate = async (binary: unknown, imports: unknown): Promise<WasmInstance> => {
    const source = await wasm.instantiate(binary, imports);
    const isMemory = (item: unknown): item is WasmMemory => item instanceof wasm.Memory;
    const found = Object.values(source.instance.exports).find(isMemory);
    if (found !== undefined) {
      memory = found;
      const grow = found.grow.bind(found);
      found.grow = (pages) => {
        if (found.buffer.byteLength + pages * WASM_PAGE > memoryLimitBytes) {
          isFull = true;
          throw new RangeError('memory limit');
        }
        return grow(pages);
      };
    }
    return source;
  };

  const note = (...parts: unknown[]): void => {
    messages.push(parts.map(String).join(' '));
  };
  const bundle = compileFunction(
    readFileSync(path, 'utf8'),
    // Without `process` it takes itself to be in a bare shell, where it imports nothing while it starts.
    ['exports', 'module', 'require', '__filename', 'console', 'WebAssembly', 'process'],
    { filename: path },
  );
  const exports: Record<string, unknown> = {};
  const watched = Object.assign(Object.create(wasm) as object, { instantiate });
  bundle(
    exports,
    { exports },
    require,
    path,
    { log: note, warn: note, error: note, info: note, debug: note },
    watched,
  );
  return {
    api: exports as unknown as XGrammar,
    memoryBytes: () => memory?.buffer.byteLength ?? 0,
    isFull: () => isFull,
    takeMessages: () => {
      const taken = messages.join('\n');
      messages = [];
      return taken;
    },
  };
}
