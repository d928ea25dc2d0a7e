/** The output of a program, in the words of Node's streams. Written out here, so that declarations need no types of Node. */
export interface ProgramOutput {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The input of a program. */
export interface ProgramInput {
  readonly writable: boolean;
  write(text: string): boolean;
  end(text?: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

/** A program that was started. */
export interface ProgramProcess {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  readonly stdin: ProgramInput | null;
  readonly stdout: ProgramOutput | null;
  readonly stderr: ProgramOutput | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: (code: number | null, signal: string | null) => void): unknown;
  once(event: 'exit' | 'spawn', listener: () => void): unknown;
}

/** How a program is started. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: readonly ('ignore' | 'pipe')[];
}
