// What `koine serve` prints once it serves: the models, the addresses, and a line to try.

import { showBytes } from '../models/index.js';
import type { ModelDescription } from '../protocol/index.js';

/** An open address. */
export interface OpenAddress {
  readonly host: string;
  readonly port: number;
  /** What is spoken there, e.g. `every dialect` or `tgi alone`. */
  readonly speaks: string;
  /** Prefixes at this address with what they speak. */
  readonly prefixes: readonly string[];
}

/** A model with figures of its engine. */
export interface ServedModel {
  readonly description: ModelDescription;
  readonly threads: number;
}

/** The text printed at the start. `needsKey` adds a key to the line to try, without showing one. */
export function startText(
  models: readonly ServedModel[],
  addresses: readonly OpenAddress[],
  needsKey: boolean,
): string {
  const rows = addresses.flatMap((address) => [
    [urlOf(address), address.speaks] as const,
    ...address.prefixes.map((prefix) => [`${urlOf(address)}${prefix}`, `${prefix.slice(1)} alone`] as const),
  ]);
  const width = Math.max(...rows.map(([url]) => url.length));
  const lines = rows.map(([url, speaks]) => `  ${url.padEnd(width)}  ${speaks}`);
  const [main] = addresses;
  const [first] = models;
  const curl =
    main === undefined || first === undefined
      ? []
      : ['', 'Try:', `  ${curlLine(urlOf(main), first.description, needsKey)}`];
  return [...models.map(modelText), '', 'Listening:', ...lines, ...curl, ''].join('\n');
}

function modelText({ description, threads }: ServedModel): string {
  const {
    id,
    aliases,
    architecture,
    parameters,
    quantization,
    sizeBytes,
    contextTokens,
    maxSequences,
    adapters,
  } = description;
  const names = aliases.length === 0 ? '' : ` (also ${aliases.join(', ')})`;
  const adapted = adapters.length === 0 ? '' : `, adapters ${adapters.join(', ')}`;
  return [
    `Model ${id}${names}`,
    `  ${architecture}, ${showCount(parameters)} parameters, ${quantization}, ${showBytes(sizeBytes)}${adapted}`,
    `  context ${contextTokens} tokens, ${maxSequences} sequences at once, ${threadsText(threads)}`,
  ].join('\n');
}

/** A model without threads has no process yet. */
function threadsText(threads: number): string {
  if (threads === 0) return 'loaded when it is first asked for';
  return `${threads} ${threads === 1 ? 'thread' : 'threads'}`;
}

/** `5.5M`, `1.2B`: how parameters are counted. */
function showCount(count: number): string {
  const [size, unit] = count >= 1e9 ? [1e9, 'B'] : count >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
  return `${(count / size).toFixed(1)}${unit}`;
}

function curlLine(url: string, model: ModelDescription, needsKey: boolean): string {
  const [path, question] =
    model.chatTemplate === undefined
      ? ['/v1/completions', { model: model.id, prompt: 'Once upon a time', max_tokens: 64, stream: true }]
      : [
          '/v1/chat/completions',
          { model: model.id, messages: [{ role: 'user', content: 'Hello!' }], stream: true },
        ];
  const key = needsKey ? " -H 'authorization: Bearer YOUR_KEY'" : '';
  return `curl -N ${url}${path}${key} -H 'content-type: application/json' -d '${JSON.stringify(question)}'`;
}

/** An address a client on this machine can use: one that means "everywhere" is written as the local one. */
export function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
