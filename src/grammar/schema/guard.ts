// Length bounds of strings, kept beside the grammar. In a grammar each of `maxLength` characters is a state that
// costs a walk over the whole vocabulary at compile time (seconds); counting characters while matching is free.

/** What is known of the value at one place of a document. May refer to itself. */
export interface GuardShape {
  /** Characters (code points) of a string here. */
  min?: number;
  max?: number;
  /** Members by name, and all others. */
  properties?: Map<string, GuardShape>;
  others?: GuardShape;
  /** Elements by position, and all behind them. */
  prefix?: GuardShape[];
  items?: GuardShape;
}

/** JSON that stands in the output behind one of these texts is measured by its shape; '' = the whole output. */
export interface LengthGuard {
  readonly behind: string;
  readonly shape: GuardShape;
}
