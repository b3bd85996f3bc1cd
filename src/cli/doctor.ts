// `koine doctor`: looks at this machine and says what is there, what is missing, and the exact command that would
// help. Never changes anything. Exits 2 when Koine could not run.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import type { Settings } from '../config/index.js';
import { checkModel, listStored, showBytes } from '../models/index.js';
import {
  checkAbi,
  cpuQuota,
  grantedThreads,
  LLAMA_VERSION,
  listCandidates,
  loadLibrary,
  locateLibraries,
  NATIVE_PACKAGE_VERSION,
} from '../native/index.js';
import { explain } from './explain.js';
import { demoModelPath, version } from './package-files.js';
import { modelsDirOf } from './resolve-options.js';
import { settingsOf } from './settings-of.js';

/** One thing that was looked at. `bad` means Koine cannot run, `hint` that something could be better. */
interface Finding {
  readonly state: 'ok' | 'hint' | 'bad';
  readonly about: string;
  readonly text: string;
}

/** Prints all findings; sets exit code 2 when one of them is bad. */
export async function doctor(): Promise<void> {
  const settings = await settingsOf({});
  const findings = [
    nodeFinding(),
    libraryFinding(settings),
    ...gpuFindings(settings),
    ...machineFindings(),
    demoFinding(),
    storeFinding(settings),
    await portFinding(settings),
  ];
  process.stdout.write(`koine ${version()} on ${process.platform}-${process.arch}\n`);
  for (const { state, about, text } of findings) {
    process.stdout.write(`${{ ok: 'ok  ', hint: 'hint', bad: 'BAD ' }[state]} ${about}: ${text}\n`);
  }
  process.exitCode = findings.some((finding) => finding.state === 'bad') ? 2 : 0;
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isFit = major > 20 || (major === 20 && minor >= 19);
  const text = isFit ? process.versions.node : `${process.versions.node}; 20.19 or newer is needed`;
  return { state: isFit ? 'ok' : 'bad', about: 'Node', text };
}

function libraryFinding({ llamaLibDir }: Settings): Finding {
  const about = 'llama.cpp';
  try {
    const location = locateLibraries(llamaLibDir);
    const { source, dir } = location;
    checkAbi(loadLibrary(location, () => {}));
    return { state: 'ok', about, text: `release ${LLAMA_VERSION} from ${source} (${dir})` };
  } catch (error) {
    return { state: 'bad', about, text: error instanceof Error ? error.message : String(error) };
  }
}

function gpuFindings({ llamaLibDir }: Settings): readonly Finding[] {
  const candidates = listCandidates(llamaLibDir).filter((candidate) => candidate.gpu);
  const present = candidates.filter((candidate) => candidate.dir !== undefined);
  if (present.length > 0) {
    return [
      { state: 'ok', about: 'GPU', text: `${present.map((found) => found.source).join(', ')} will be used` },
    ];
  }
  const helpful = candidates.filter(({ source }) => (source.endsWith('-cuda') ? hasNvidia() : hasVulkan()));
  const [best] = helpful;
  if (best === undefined) return [{ state: 'ok', about: 'GPU', text: 'none found; the CPU is used' }];
  const command = `npm i ${best.source}@${NATIVE_PACKAGE_VERSION}`;
  return [
    { state: 'hint', about: 'GPU', text: `there seems to be one; \`${command}\` would make use of it` },
  ];
}

function hasNvidia(): boolean {
  return existsSync('/proc/driver/nvidia/version') || existsSync('C:\\Windows\\System32\\nvcuda.dll');
}

function hasVulkan(): boolean {
  return existsSync('/dev/dri/renderD128') || existsSync('C:\\Windows\\System32\\vulkan-1.dll');
}

function machineFindings(): readonly Finding[] {
  const quota = cpuQuota();
  const limit = quota === undefined ? '' : `, limited to ${quota} by the container`;
  const model = cpus()[0]?.model ?? 'unknown processor';
  const features = cpuFeatures();
  return [
    {
      state: 'ok',
      about: 'CPU',
      text: `${model}, ${availableParallelism()} logical cores${limit}; computing with ${grantedThreads()} threads`,
    },
    ...(features === '' ? [] : [{ state: 'ok', about: 'CPU features', text: features } as const]),
    { state: 'ok', about: 'memory', text: `${showBytes(freemem())} free of ${showBytes(totalmem())}` },
  ];
}

/** The vector instructions ggml has kernels for, where the system tells. */
function cpuFeatures(): string {
  if (!existsSync('/proc/cpuinfo')) return '';
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
  const known =
    /^(sse4_2|avx|avx2|fma|f16c|avx_vnni|avx512f|avx512bw|avx512_vnni|avx512_bf16|amx_int8|asimddp|i8mm|sve2?)$/;
  return line
    .split(' ')
    .filter((flag) => known.test(flag))
    .join(' ');
}

function demoFinding(): Finding {
  try {
    const { parameters, sizeBytes } = checkModel(demoModelPath);
    const text = `${(parameters / 1e6).toFixed(1)} million parameters, ${showBytes(sizeBytes)}`;
    return { state: 'ok', about: 'demo model', text };
  } catch (error) {
    return { state: 'bad', about: 'demo model', text: explain(error) };
  }
}

function storeFinding(settings: Settings): Finding {
  const folder = modelsDirOf(settings);
  const models = listStored(folder);
  const bytes = models.reduce((sum, model) => sum + model.sizeBytes, 0);
  return { state: 'ok', about: 'models', text: `${models.length} in ${folder} (${showBytes(bytes)})` };
}

function portFinding({ host, port }: Settings): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.message;
      const text =
        code === 'EADDRINUSE' ? 'is in use; serve with another --port' : `cannot be opened: ${code}`;
      resolve({ state: 'hint', about: 'port', text: `${host}:${port} ${text}` });
    });
    probe.listen(port, host, () =>
      probe.close(() => resolve({ state: 'ok', about: 'port', text: `${host}:${port} is free` })),
    );
  });
}
