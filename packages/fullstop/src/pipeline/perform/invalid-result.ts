/** What code of one's own gave back cannot be used; it says so as every body of a run does. */
export function invalidResult(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'INVALID_RESULT' });
}
