/** The grammar of the keys in the journal of a pipeline. */

/** The key of the step with which a stage begins: it is skipped, or its work begins. */
export const stageKey = 'stage';

/** The key of the step that makes the input of the definition that a stage uses. */
export function makeUsingKey(definition: string): string {
  return `using:${definition}`;
}

/** The name of the definition that a stage uses. */
export function parseUsingKey(key: string): string | undefined {
  return key.startsWith('using:') ? key.slice('using:'.length) : undefined;
}

/** The key of the nth check of a result. */
export function makeValidateKey(attempt: number): string {
  return `validate-${attempt}`;
}

/** The key of the wait before another attempt. */
export function makeRetryKey(attempt: number): string {
  return `retry-${attempt}`;
}

/** The key of the question whether an ending is one to try again, or to fall back from. */
export function makeWhenKey(kind: string): string {
  return `when:${kind}`;
}
