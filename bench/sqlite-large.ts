import { hash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineRun, terminations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { median } from './interleave.js';

interface BareDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown };
}

const Libsql = createRequire(import.meta.url)('libsql') as new (file: string) => BareDatabase;
const rounds = 150;
const warmUps = 150;

/** A list of small records, as a tool returns them, of about so many bytes as JSON. */
function recordsOf(bytes: number): readonly object[] {
  const one = { id: 4711, name: 'a name of some length', note: 'x'.repeat(40), isOpen: true };
  return Array.from({ length: Math.max(1, Math.round(bytes / JSON.stringify(one).length)) }, () => one);
}

/** Results of steps that are large: a step against one stringify and one hash of its value, and against these with a bare insert and commit, in turns. */
export async function benchLargeValues(folder: string): Promise<void> {
  console.log('\nsqlite, results by their size (processor time in us, median; the ratio is the median of pairs)');
  const database = new Libsql(join(folder, 'large-bare.db'));
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL']) database.exec(`PRAGMA ${pragma}`);
  database.exec('CREATE TABLE journal (id INTEGER PRIMARY KEY, data TEXT, hash TEXT)');
  const insert = database.prepare('INSERT INTO journal (data, hash) VALUES (?, ?)');
  const engine = sqliteEngine(join(folder, 'large.db'));
  for (const bytes of [1_000, 10_000, 100_000]) await compareSize(recordsOf(bytes), { bytes, engine, insert });
  await engine.close();
}

interface Comparing {
  readonly bytes: number;
  readonly engine: ReturnType<typeof sqliteEngine>;
  readonly insert: ReturnType<BareDatabase['prepare']>;
}

async function compareSize(value: readonly object[], { bytes, engine, insert }: Comparing): Promise<void> {
  const times = { made: [] as number[], bare: [] as number[], step: [] as number[] };
  const large = defineRun({
    name: 'large',
    run: async (context) => {
      for (let round = 0; round < rounds + warmUps; round += 1) {
        const fresh = [...value, { round }];
        const begun = processorMicroseconds();
        const text = JSON.stringify(fresh);
        const digest = hash('sha256', text, 'hex');
        const made = processorMicroseconds();
        insert.run(text, digest);
        const bare = processorMicroseconds();
        await context.step('work', () => fresh);
        const step = processorMicroseconds();
        if (round < warmUps) continue;
        times.made.push(made - begun);
        times.bare.push(bare - begun);
        times.step.push(step - bare);
      }
      return terminations.naturalEnd();
    },
  });
  const { termination } = await large.run(undefined, { engine });
  if (termination.kind !== 'natural_end') throw new Error(`The run with large values ended as ${termination.kind}.`);
  const beyond = times.step.map((time, round) => (time - insertOf(times, round)) / (times.made[round] ?? Number.NaN));
  const ratio = times.step.map((time, round) => time / (times.bare[round] ?? Number.NaN));
  console.log(
    `  ${bytes.toLocaleString('en').padStart(8)} bytes  stringify and hash ${median(times.made).toFixed(0)}, with insert and commit ${median(times.bare).toFixed(0)}, step ${median(times.step).toFixed(0)}: ${median(ratio).toFixed(2)}x of both; without the insert ${median(beyond).toFixed(2)}x one stringify and hash (at 100 KB at most 2)`,
  );
}

/** The insert and commit alone. */
function insertOf(
  { bare, made }: { readonly bare: readonly number[]; readonly made: readonly number[] },
  round: number,
) {
  return (bare[round] ?? Number.NaN) - (made[round] ?? Number.NaN);
}

function processorMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
