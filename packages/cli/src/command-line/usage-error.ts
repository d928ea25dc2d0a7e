/** The command line, a file or a run that was named is wrong: nothing was started. Exit code 2. */
export class UsageError extends Error {
  /** The command whose help would say more. */
  readonly command: string | undefined;

  constructor(message: string, options: ErrorOptions & { readonly command?: string } = {}) {
    super(message, options);
    this.name = 'UsageError';
    this.command = options.command;
  }
}
