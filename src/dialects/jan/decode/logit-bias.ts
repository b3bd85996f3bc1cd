// logit_bias with its two kinds of keys: token ids, or texts of which every token gets the bias.

import type { Engine, ModelDescription, SamplingParams } from '../../../protocol/index.js';
import { type Fault, fault, InvalidBody } from '../check/fault.js';
import type { CommonBody } from '../schema.js';

/** Biases by token; a token named twice keeps the last. Throws `InvalidBody` for a key that is no token. */
export async function decodeLogitBias(
  body: CommonBody,
  engine: Engine,
  description: ModelDescription,
): Promise<SamplingParams['logitBias']> {
  const { logit_bias: given, logit_bias_type: type } = body;
  if (given === null || given.size === 0) return [];
  if (type !== 'tokens') return byId(given, description.vocabSize);
  const biases = new Map<number, number>();
  for (const [key, bias] of given) {
    const request = { model: description.id, text: key, addSpecial: false, parseSpecial: true };
    for (const { id } of await engine.tokenize(request)) biases.set(id, bias);
  }
  return [...biases];
}

function byId(given: ReadonlyMap<string, number>, vocabSize: number): SamplingParams['logitBias'] {
  const faults: Fault[] = [];
  const biases = new Map<number, number>();
  for (const [key, bias] of given) {
    const id = /^\d+$/.test(key) ? Number(key) : Number.NaN;
    if (id < vocabSize) biases.set(id, bias);
    else faults.push(keyFault(key, id, vocabSize));
  }
  if (faults.length > 0) throw new InvalidBody(faults);
  return [...biases];
}

function keyFault(key: string, id: number, vocabSize: number): Fault {
  const loc = ['body', 'logit_bias', key];
  if (Number.isNaN(id)) {
    const msg = `Keys should be token ids; for texts send logit_bias_type 'tokens'`;
    return fault('int_parsing', loc, msg, key);
  }
  const le = vocabSize - 1;
  return fault('less_than_equal', loc, `Token id should be less than or equal to ${le}`, id, { le });
}
