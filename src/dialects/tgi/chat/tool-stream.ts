// Reads a call while it is generated: the function's name once it is known, then its arguments as raw fragments.

const HEAD = /^\s*\{\s*"function"\s*:\s*\{\s*"_name"\s*:\s*("(?:[^"\\]|\\.)*")\s*(?=[,}])/;

/** What a piece of text adds. */
export type CallPiece =
  | { readonly kind: 'nothing' }
  /** The name is known; `arguments` opens the object and may hold more of it. */
  | { readonly kind: 'begin'; readonly name: string; readonly arguments: string }
  | { readonly kind: 'more'; readonly arguments: string };

const NOTHING: CallPiece = { kind: 'nothing' };

/** Follows one call. Text after the call's own object is not shown. */
export class ToolStream {
  #head = '';
  #name: string | undefined;
  #depth = 1;
  #isInString = false;
  #isEscaped = false;
  #isFirst = true;

  /** The function's name, once known. */
  get name(): string | undefined {
    return this.#name;
  }

  push(text: string): CallPiece {
    if (this.#name !== undefined) {
      const more = this.#arguments(text);
      return more === '' ? NOTHING : { kind: 'more', arguments: more };
    }
    this.#head += text;
    const match = HEAD.exec(this.#head);
    if (match?.[1] === undefined) return NOTHING;
    this.#name = JSON.parse(match[1]) as string;
    const rest = this.#arguments(this.#head.slice(match[0].length));
    return { kind: 'begin', name: this.#name, arguments: `{${rest}` };
  }

  /** The part of a text that belongs to the arguments: up to the brace that closes the function's object. */
  #arguments(text: string): string {
    let from = 0;
    // The comma between the name and the first argument, and the space around it.
    while (this.#isFirst && from < text.length) {
      const mark = text[from] ?? '';
      if (mark !== ',' && mark.trim() !== '') this.#isFirst = false;
      else from++;
    }
    let at = from;
    while (at < text.length && this.#depth > 0) this.#read(text[at++] ?? '');
    return text.slice(from, at);
  }

  #read(mark: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      if (mark === '\\') this.#isEscaped = true;
      else if (mark === '"') this.#isInString = false;
    } else if (mark === '"') this.#isInString = true;
    else if (mark === '{' || mark === '[') this.#depth++;
    else if (mark === '}' || mark === ']') this.#depth--;
  }
}
