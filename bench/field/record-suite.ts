import { format } from 'node:util';
import { beginSuite, type Measured } from './machine.js';
import { writeResults } from './stored-results.js';

/** A suite of our own parts: its table as it was printed. */
export interface PrintedSuite extends Measured {
  readonly suite: string;
  readonly lines: readonly string[];
}

/** Runs a suite that prints its table, and keeps what it prints in `bench/results`. */
export async function recordSuite(suite: string, bench: () => void | Promise<void>): Promise<void> {
  const finish = beginSuite(suite);
  const lines: string[] = [];
  const print = console.log;
  console.log = (...words: readonly unknown[]) => {
    print(...words);
    lines.push(...format(...words).split('\n'));
  };
  try {
    await bench();
  } finally {
    console.log = print;
  }
  const printed: PrintedSuite = { ...finish(), suite, lines: lines.filter((line) => line.trim() !== '') };
  writeResults(suite, printed);
}
