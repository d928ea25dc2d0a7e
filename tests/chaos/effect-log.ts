import { openSync, readFileSync, writeSync } from 'node:fs';

/** Something that a process did or saw, written before anything else can happen to that process. */
export type LogLine =
  /** The effect of a step or a callback begins, in this execution of its run where those are told apart. */
  | { readonly type: 'effect'; readonly place: string; readonly id: string; readonly by?: string }
  /** A body got the result of one. */
  | { readonly type: 'seen'; readonly place: string; readonly id: string }
  /** A caller got an ending. */
  | {
      readonly type: 'result';
      readonly runId: string;
      readonly segment: number;
      readonly persisted: boolean;
      readonly ending: string;
    }
  /** A process with this version of the definitions begins to execute a run, of which it has read so many entries. */
  | {
      readonly type: 'executed';
      readonly runId: string;
      readonly version: string;
      readonly by: string;
      readonly entries: number;
    }
  /** A process learnt that a run was taken from it; whatever it has of that run is refused. */
  | { readonly type: 'fenced'; readonly runId: string }
  /** An answer was delivered. */
  | { readonly type: 'answered'; readonly runId: string; readonly requestId: string; readonly by: string }
  /** Somebody is about to ask that a run be cancelled. */
  | { readonly type: 'cancelling'; readonly runId: string };

/** The mark that an effect leaves: where it stands in the run, and which execution of it this was. */
export interface Mark {
  readonly place: string;
  readonly id: string;
}

/** A file to which several processes append whole lines. What was written survives the process, which is all that is needed. */
export class EffectLog {
  readonly #descriptor: number;
  #count = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'a');
  }

  write(line: LogLine): void {
    writeSync(this.#descriptor, `${JSON.stringify(line)}\n`);
  }

  /** Writes down that an effect begins, and returns its mark. */
  effect(place: string, by?: string): Mark {
    this.#count += 1;
    const mark = { place, id: `${process.pid}-${this.#count}` };
    this.write({ type: 'effect', ...mark, ...(by !== undefined && { by }) });
    return mark;
  }
}

export function readLog(file: string): readonly LogLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogLine);
}
