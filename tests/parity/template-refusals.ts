/** Templates that the reference renders and we refuse, with the reason. A refusal that begins to pass fails the test. */
export const templateRefusals: ReadonlyMap<string, string> = new Map([
  [
    "{{ ''.__class__ }}",
    'members that lead to Python classes do not exist here; sandboxes of the reference refuse them, too',
  ],
]);

/** Conditions that the reference evaluates and we refuse, with the reason. */
export const conditionRefusals: ReadonlyMap<string, string> = new Map([
  ["b'x'", 'there are no bytes: nothing in a workflow gives or takes them'],
  ['1j', 'there are no complex numbers'],
]);
