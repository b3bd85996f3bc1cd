// Door of the text room: tokens to text that is safe to show.

export { decodeText, TextStream, TokenTable } from './detokenizer.js';
export { StopMatcher, type StopTextRule } from './stop-strings.js';
