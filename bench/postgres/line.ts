/** One row of the output. */
export function line(name: string, value: string): void {
  console.log(`  ${name.padEnd(58)} ${value}`);
}

/** The result of a step in all rows: some 450 bytes as JSON. */
export const result = { text: 'x'.repeat(430) };

/** Refuses a figure whose work was not done. */
export function mustBe(found: unknown, expected: unknown, what: string): void {
  if (found !== expected) throw new Error(`${what}: ${String(found)} instead of ${String(expected)}`);
}
