// Finds the folder with llama.cpp's prebuilt libraries: the user's own build, a GPU package when one is installed,
// else the CPU package of this platform. Looks at files only; loading is library.ts's business.

import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Version of the `@node-llama-cpp/*` packages the struct layouts in structs.ts belong to. */
export const NATIVE_PACKAGE_VERSION = '3.22.1';
/** llama.cpp release inside those packages, as `llama_version()` reports it. */
export const LLAMA_VERSION = '0.5.0';

/** Packages that can run on a platform, best first. GPU packages are never installed by default. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'linux-x64': ['linux-x64-cuda', 'linux-x64-vulkan', 'linux-x64'],
  'linux-arm64': ['linux-arm64'],
  'linux-arm': ['linux-armv7l'],
  'linux-riscv64': ['linux-riscv64'],
  'darwin-arm64': ['mac-arm64-metal'],
  'darwin-x64': ['mac-x64'],
  'win32-x64': ['win-x64-cuda', 'win-x64-vulkan', 'win-x64'],
  'win32-arm64': ['win-arm64'],
};

/** A place that holds the libraries, or the reason why it does not. */
export interface NativeCandidate {
  /** `@node-llama-cpp/...`, or `KOINE_LLAMA_LIB_DIR`. */
  readonly source: string;
  readonly gpu: boolean;
  readonly dir: string | undefined;
}

/** A folder ready to be loaded from. */
export interface NativeLocation {
  readonly source: string;
  readonly dir: string;
}

/** Names of the packages that fit this machine, best first. */
export function packageNames(
  platform: string = process.platform,
  arch: string = process.arch,
): readonly string[] {
  return (PACKAGES[`${platform}-${arch}`] ?? []).map((name) => `@node-llama-cpp/${name}`);
}

/** Every place that is looked at, in order, with what was found there. */
export function listCandidates(libraryDir: string | undefined): readonly NativeCandidate[] {
  if (libraryDir !== undefined) {
    return [
      { source: 'KOINE_LLAMA_LIB_DIR', gpu: false, dir: hasLlama(libraryDir) ? libraryDir : undefined },
    ];
  }
  return packageNames().map((source) => ({
    source,
    gpu: /-(cuda|vulkan|metal)$/.test(source),
    dir: packageLibraryDir(source),
  }));
}

/** The first place that has the libraries. Throws a plain `Error` that names what was looked for and the remedy. */
export function locateLibraries(libraryDir: string | undefined): NativeLocation {
  const candidates = listCandidates(libraryDir);
  for (const { source, dir } of candidates) if (dir !== undefined) return { source, dir };
  if (libraryDir !== undefined) {
    throw new Error(`KOINE_LLAMA_LIB_DIR: no llama.cpp library in ${libraryDir}`);
  }
  const machine = `${process.platform}-${process.arch}`;
  const cpu = candidates.at(-1)?.source;
  throw new Error(
    cpu === undefined
      ? `no prebuilt llama.cpp for ${machine}: build its shared libraries and set KOINE_LLAMA_LIB_DIR to their folder`
      : `the package ${cpu} is not installed: run "npm install ${cpu}@${NATIVE_PACKAGE_VERSION}"`,
  );
}

/** Path of the first file in `dir` whose name is `name` with any version and the platform's suffix. */
export function findLibrary(dir: string, name: string): string | undefined {
  const pattern = new RegExp(`^(lib)?${name}(\\.v[0-9.]+)?\\.(so|dylib|dll)$`);
  const file = readdirSync(dir).find((entry) => pattern.test(entry));
  return file === undefined ? undefined : join(dir, file);
}

function hasLlama(dir: string): boolean {
  return existsSync(dir) && findLibrary(dir, 'llama') !== undefined;
}

function packageLibraryDir(name: string): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const bins = join(dirname(entry), '..', 'bins');
    return readdirSync(bins)
      .map((sub) => join(bins, sub))
      .find(hasLlama);
  } catch {
    return undefined;
  }
}
