// What is wrong with a body, in the words of this wire: one entry per fault, each with its place.

/** Where a value lies: `body`, then field names and positions in lists. */
export type Loc = readonly (string | number)[];

/** One fault, as it is sent. */
export interface Fault {
  readonly type: FaultType;
  readonly loc: Loc;
  readonly msg: string;
  /** What was sent there, where it is short enough to repeat. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The closed list of fault words. */
export type FaultType =
  | 'missing'
  | 'string_type'
  | 'list_type'
  | 'dict_type'
  | 'int_type'
  | 'int_parsing'
  | 'int_from_float'
  | 'float_type'
  | 'float_parsing'
  | 'finite_number'
  | 'bool_type'
  | 'bool_parsing'
  | 'greater_than_equal'
  | 'less_than_equal'
  | 'literal_error'
  | 'json_invalid'
  | 'value_error';

/** A body that was refused, with every fault that was found in it. */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.faults = faults;
  }
}

/** Longest text that is repeated to the client. */
const ECHO_CHARACTERS = 200;

/** A fault; the value at fault goes along if it is no structure and not long. */
export function fault(type: FaultType, loc: Loc, msg: string, input?: unknown, ctx?: Fault['ctx']): Fault {
  const isShort = typeof input === 'string' ? input.length <= ECHO_CHARACTERS : typeof input !== 'object';
  const shown = input !== undefined && (input === null || isShort);
  return { type, loc, msg, ...(shown && { input }), ...(ctx !== undefined && { ctx }) };
}

/** A body refused for one fault, at a place below it. */
export function refused(below: Loc, msg: string, input?: unknown): InvalidBody {
  return new InvalidBody([fault('value_error', ['body', ...below], msg, input)]);
}
