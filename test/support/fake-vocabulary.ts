// The fake runner's vocabulary: readable pieces, characters cut in the middle, control markers, and a piece for
// every other byte so that any text can be tokenized. Leaves scores and KV to fake-runner.ts.

/** Names of the control tokens, in the order of their ids (0 ...). */
export const FAKE_CONTROLS = [
  '<unk>',
  '<bos>',
  '<eos>',
  '<end_of_turn>',
  '<|user|>',
  '<|assistant|>',
] as const;

/** A token table with greedy longest-match tokenization over bytes. */
export interface FakeVocabulary {
  readonly size: number;
  readonly bos: number;
  readonly eos: number;
  /** Ends a turn; a second token that ends a generation. */
  readonly endOfTurn: number;
  /** Tokens below this id are control tokens. */
  readonly controls: number;
  /** Tokens from this id on stand for single bytes that have no piece of their own. */
  readonly fallback: number;
  bytes(token: number): Uint8Array;
  /** The token's bytes as a string of characters 0-255. */
  latin(token: number): string;
  tokenize(text: string, addSpecial: boolean, parseSpecial: boolean): Int32Array;
  /** The one token with exactly this text; throws when there is none. */
  id(text: string): number;
  /** Tokens to text; control tokens show their names. */
  text(tokens: Iterable<number>): string;
}

const toLatin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function ordinaryPieces(): string[] {
  const pieces: string[] = [];
  for (let code = 32; code < 127; code++) pieces.push(String.fromCharCode(code));
  pieces.push('\n', '\t', 'th', 'the', ' the', 'ing', 'Hello', ' wor', 'ld', '\n\n', 'stop', 'ab');
  // Pieces that begin, continue or end a character of several bytes; the pair of bytes is also one whole piece.
  pieces.push('\xc3', '\xa9', '\xc3\xa9', '\xf0\x9f', '\x98\x80', '\xf0\x9f\x98', '\x80', '\xe2\x82', '\xac');
  return pieces;
}

function fallbackPieces(taken: ReadonlySet<string>): string[] {
  const pieces: string[] = [];
  for (let byte = 0; byte < 256; byte++) {
    const piece = String.fromCharCode(byte);
    if (!taken.has(piece)) pieces.push(piece);
  }
  return pieces;
}

/** Builds the table. All runners of one process may share it: it never changes. */
export function createFakeVocabulary(): FakeVocabulary {
  const ordinary = ordinaryPieces();
  const pieces: readonly string[] = [...FAKE_CONTROLS, ...ordinary, ...fallbackPieces(new Set(ordinary))];
  const controls = FAKE_CONTROLS.length;
  const idOf = new Map(pieces.map((piece, id) => [piece, id]));
  const longest = Math.max(...pieces.map((piece) => piece.length));

  const pieceAt = (text: string, at: number, parseSpecial: boolean): number => {
    for (let length = Math.min(longest, text.length - at); length > 0; length--) {
      const id = idOf.get(text.slice(at, at + length));
      if (id !== undefined && (id >= controls || parseSpecial)) return id;
    }
    throw new Error(`fake vocabulary has no piece for byte ${text.charCodeAt(at)}`);
  };
  const latin = (token: number): string => {
    const piece = pieces[token];
    if (piece === undefined) throw new RangeError(`token ${token} is not in the vocabulary`);
    return piece;
  };
  const id = (text: string): number => {
    const found = idOf.get(toLatin(text));
    if (found === undefined)
      throw new Error(`the fake vocabulary has no single token for ${JSON.stringify(text)}`);
    return found;
  };
  return {
    size: pieces.length,
    bos: id('<bos>'),
    eos: id('<eos>'),
    endOfTurn: id('<end_of_turn>'),
    controls,
    fallback: controls + ordinary.length,
    latin,
    id,
    bytes: (token) => Uint8Array.from(Buffer.from(latin(token), 'latin1')),
    tokenize(text, addSpecial, parseSpecial) {
      const bytes = toLatin(text);
      const tokens: number[] = addSpecial ? [id('<bos>')] : [];
      for (let at = 0; at < bytes.length; ) {
        const token = pieceAt(bytes, at, parseSpecial);
        tokens.push(token);
        at += latin(token).length;
      }
      return Int32Array.from(tokens);
    },
    text: (tokens) => Buffer.from(Array.from(tokens, latin).join(''), 'latin1').toString('utf8'),
  };
}
