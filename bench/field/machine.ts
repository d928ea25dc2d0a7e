import { cpus, loadavg } from 'node:os';
import { scale } from './scale.js';

/** Where and when something was measured, and how: figures of a busy machine are not those of a quiet one. */
export interface Measured {
  readonly date: string;
  readonly command: string;
  readonly node: string;
  readonly machine: string;
  readonly processors: number;
  /** The load over a minute before and after. */
  readonly load: readonly [before: number, after: number];
}

/** Begins to measure a suite; the returned function says where that was. */
export function beginSuite(suite: string): () => Measured {
  const before = loadavg()[0] ?? 0;
  const date = new Date().toISOString();
  return () => ({
    date,
    command: `npm run bench -- ${suite}${scale.flag}`,
    node: process.versions.node,
    machine: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    load: [before, loadavg()[0] ?? 0],
  });
}

/** The same in a sentence. */
export function describeMeasured({ command, date, node, machine, processors, load }: Measured): string {
  const [before, after] = load.map((each) => each.toFixed(1));
  return `\`${command}\` on ${date.slice(0, 10)}: Node ${node}, ${machine}, ${processors} processors, load ${before} before and ${after} after`;
}
