import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import { someText } from '../../stop/check-option.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { checkMilliseconds } from '../check-run-options.js';
import { type ThreadMessage, threadProgram } from './thread-program.js';

/** Which function to isolate, and how much it may use. */
export interface IsolateOptions {
  /** The module that has the function; of a file beside this one: `new URL('./crunch.js', import.meta.url)`. Closures cannot cross to a thread. */
  readonly module: string | { readonly href: string };
  /** The name of the function in its module. */
  readonly export: string;
  /** The thread is ended after this time, whatever it does. */
  readonly timeoutMs: number;
  /** The thread is ended when it needs more memory for its objects; as much as Node allows unless given. */
  readonly memoryMb?: number;
}

/** Why an isolated function has no result; other codes are those of the errors that it throws. */
export type IsolatedErrorCode = 'ISOLATED_ABORTED' | 'ISOLATED_EXITED' | 'ISOLATED_OUT_OF_MEMORY' | 'ISOLATED_TIMEOUT';

/** A function that runs in a thread of its own with every call; what it takes and returns is copied. */
export type Isolated = (
  input?: unknown,
  options?: { readonly signal?: AbortSignalLike | undefined },
) => Promise<unknown>;

/** The part of a thread that we use. */
interface Thread {
  on(event: 'message', listener: (message: ThreadMessage) => void): unknown;
  on(event: 'error', listener: (error: { readonly code?: unknown }) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

type ThreadClass = new (program: string, options: object) => Thread;

/**
 * Makes a function of a module run in a thread, for steps and tools: code that never yields, such as an endless loop, then holds up nobody,
 * and is ended when its time is over or its run is cancelled. That is a failure with a code of its own.
 */
export function isolate(options: IsolateOptions): Isolated {
  const { module, export: name, timeoutMs, memoryMb } = options;
  const url = typeof module === 'string' ? module : module?.href;
  if (typeof url !== 'string' || !url.includes(':'))
    throw new FullstopError(
      'INVALID_OPTION',
      `isolate: module is ${found(module)}; it must be a URL, such as new URL('./crunch.js', import.meta.url), or the text of one.`,
    );
  someText(name, { builder: 'isolate', option: 'export' });
  checkMilliseconds(timeoutMs, 'isolate', 'timeoutMs');
  const Thread = findThreads();
  const resourceLimits = memoryMb === undefined ? {} : { maxOldGenerationSizeMb: memoryMb };
  return (input, { signal } = {}) => {
    if (signal?.aborted === true) return Promise.reject(isolatedError('ISOLATED_ABORTED', `${name} was not begun.`));
    const workerData = { url, name, input };
    const thread = new Thread(threadProgram, { eval: true, workerData, resourceLimits });
    return resultOf(thread, { name, timeoutMs, signal });
  };
}

function findThreads(): ThreadClass {
  const threads = host.process?.getBuiltinModule?.('node:worker_threads') as
    | { readonly Worker: ThreadClass }
    | undefined;
  if (threads === undefined)
    throw new FullstopError('INVALID_OPTION', 'isolate needs the threads of Node, and there are none here.');
  return threads.Worker;
}

interface Waiting {
  readonly name: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignalLike | undefined;
}

/** The outcome of a thread, after which there is no thread any more. */
async function resultOf(thread: Thread, { name, timeoutMs, signal }: Waiting): Promise<unknown> {
  let timer: unknown;
  let abort: () => void = () => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const fail = (code: IsolatedErrorCode, why: string): void => reject(isolatedError(code, `${name} ${why}`));
      thread.on('message', (message) => {
        if (message.ok) resolve(message.value);
        else reject(Object.assign(new Error(message.message), { name: message.name, code: message.code }));
      });
      thread.on('error', (error) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') fail('ISOLATED_OUT_OF_MEMORY', 'needed too much memory.');
        else reject(error);
      });
      thread.on('exit', (code) => fail('ISOLATED_EXITED', `ended its thread with code ${code}, without a result.`));
      // Of the machine, not of the run: it is about what a processor does.
      timer = host.setTimeout(() => fail('ISOLATED_TIMEOUT', `took longer than ${timeoutMs} ms.`), timeoutMs);
      abort = () => fail('ISOLATED_ABORTED', 'was stopped, because its run was.');
      signal?.addEventListener('abort', abort, { once: true });
    });
  } finally {
    host.clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

function isolatedError(code: IsolatedErrorCode, message: string): Error {
  return Object.assign(new Error(`The isolated function ${message}`), { name: 'IsolatedError', code });
}
