import { describe, expect, it } from 'vitest';
import type { ReplyFormat } from '../chat/index.js';
import { type ChatInput, type GenerateEvent, KoineError } from '../protocol/index.js';
import { failedEvents, readReply } from './reply-events.js';

const CHAT: ChatInput = {
  kind: 'chat',
  messages: [],
  tools: [{ name: 'look', parameters: { type: 'object' } }],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  continueFinal: false,
  variables: {},
  parseReply: true,
};
const FORMAT: ReplyFormat = { tools: 'hermes', reasoning: 'think' };
const FINISHED: GenerateEvent = {
  kind: 'finished',
  usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1 },
  timings: { queueMs: 0, prefillMs: 0, decodeMs: 0 },
};

const delta = (text: string, choice = 0): GenerateEvent => ({ kind: 'delta', choice, text });
const end = (reason: 'eos' | 'length' = 'eos', choice = 0): GenerateEvent => ({
  kind: 'choice',
  choice,
  reason,
  completionTokens: 1,
});

async function* from(events: readonly GenerateEvent[]): AsyncGenerator<GenerateEvent> {
  yield* events;
}

async function read(
  events: readonly GenerateEvent[],
  changes: { chat?: Partial<ChatInput>; promptText?: string } = {},
) {
  const chat = { ...CHAT, ...changes.chat };
  const seen: GenerateEvent[] = [];
  for await (const event of readReply(from(events), {
    chat,
    format: FORMAT,
    promptText: changes.promptText ?? '',
  }))
    seen.push(event);
  return seen;
}

/** All parts of a choice, with neighbouring texts of a kind joined. */
function partsOf(events: readonly GenerateEvent[], choice = 0): string[] {
  const parts: string[] = [];
  for (const event of events) {
    if (event.kind !== 'delta' || event.choice !== choice) continue;
    for (const part of event.parts ?? []) {
      const text = part.kind === 'tool-call' ? part.name : part.text;
      const last = parts.at(-1);
      if (last?.startsWith(`${part.kind}:`) && part.kind !== 'tool-call')
        parts[parts.length - 1] = last + text;
      else parts.push(`${part.kind}:${text}`);
    }
  }
  return parts;
}

const CALL = '<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>';

describe('a chat reply', () => {
  it('has its content, reasoning and calls told apart, however it is cut', async () => {
    const text = `<think>hm</think>Sure.${CALL}`;
    for (const size of [1, 3, 7, 1000]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const events = await read([...pieces.map((piece) => delta(piece)), end(), FINISHED]);
      const parts = partsOf(events);
      expect(parts[0]).toBe('reasoning:hm');
      expect(parts[1]).toBe('content:Sure.');
      expect(parts[2]).toBe('tool-call:look');
      expect(JSON.parse(parts[3]?.slice('tool-arguments:'.length) ?? '')).toEqual({ at: 1 });
      expect(events.at(-1)).toEqual(FINISHED);
    }
  });

  it('that calls a tool ends with that reason and the whole call', async () => {
    const events = await read([delta(CALL), end()]);
    expect(events.at(-1)).toMatchObject({
      kind: 'choice',
      reason: 'tool_calls',
      toolCalls: [{ name: 'look', id: expect.stringMatching(/^call_[0-9a-f]{24}$/) }],
    });
  });

  it('cut off at its limit says so, also within a call', async () => {
    const events = await read([delta(CALL), end('length')]);
    expect(events.at(-1)).toMatchObject({ kind: 'choice', reason: 'length' });
  });

  it('with tools switched off is content', async () => {
    const events = await read([delta(CALL), end()], { chat: { toolChoice: { kind: 'none' } } });
    expect(partsOf(events)[0]).toMatch(/^content:/);
    expect(events.at(-1)).toMatchObject({ reason: 'eos' });
  });

  it('goes on in the reasoning the prompt has opened', async () => {
    const events = await read([delta('so it is</think>Yes.'), end()], {
      promptText: '<|im_start|>assistant\n<think>\n',
    });
    expect(partsOf(events)).toEqual(['reasoning:so it is', 'content:Yes.']);
  });

  it('holds text back that may begin a marker, and gives it at the end', async () => {
    const events = await read([delta('a <tool'), end()]);
    expect(partsOf(events)).toEqual(['content:a <tool']);
    expect(events.at(-1)?.kind).toBe('choice');
  });

  it('keeps its choices apart', async () => {
    const events = await read([
      delta('<think>a', 0),
      delta('b', 1),
      delta('</think>c', 0),
      end('eos', 1),
      end('eos', 0),
    ]);
    expect(partsOf(events, 0)).toEqual(['reasoning:a', 'content:c']);
    expect(partsOf(events, 1)).toEqual(['content:b']);
  });

  it('passes tokens on also while their text is held back', async () => {
    const token = { id: 1, text: '<tool', logprob: -1, special: false };
    const events = await read([{ kind: 'delta', choice: 0, text: '<tool', tokens: [token] }, end()]);
    expect(events[0]).toMatchObject({ kind: 'delta', tokens: [token], parts: [] });
  });
});

describe('a reader who stops', () => {
  it('stops the source', async () => {
    let isStopped = false;
    async function* source(): AsyncGenerator<GenerateEvent> {
      try {
        for (;;) yield delta('x');
      } finally {
        isStopped = true;
      }
    }
    for await (const _ of readReply(source(), { chat: CHAT, format: FORMAT, promptText: '' })) break;
    expect(isStopped).toBe(true);
  });
});

describe('a refused request', () => {
  it('is one event with its failure', async () => {
    const events: GenerateEvent[] = [];
    for await (const event of failedEvents(new KoineError('too_long', 'no', { limitTokens: 3 })))
      events.push(event);
    expect(events).toEqual([
      { kind: 'failed', failure: { code: 'too_long', message: 'no', details: { limitTokens: 3 } } },
    ]);
  });

  it('is a throw when it met a bug, so that this gets into the log', async () => {
    await expect(failedEvents(new TypeError('bug')).next()).rejects.toThrow(new TypeError('bug'));
  });
});
