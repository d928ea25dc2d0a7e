/** The words of an error that a framework threw. */
export function thrownWords(error: unknown): string {
  if (error instanceof Error) return `throws ${error.name}`;
  return `throws ${typeof error === 'object' ? 'an object' : JSON.stringify(error)}`;
}
