// The one way a setting is refused: which one, what was given and where, what is allowed.

/** A setting that cannot be used. Its message is meant for the user as it is. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
