/** The error for a result of the user's code that cannot be used, as every body of a run reports it. */
export function invalidResult(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'INVALID_RESULT' });
}
