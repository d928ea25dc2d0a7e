import { expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { toRow } from '../../packages/fullstop/src/engines/store/entry-row.js';
import type {
  Claim,
  ClaimedRun,
  EntryRow,
  Operation,
  Outcome,
} from '../../packages/fullstop/src/engines/store/operations.js';
import { makeLine, storeOn } from './cut-line.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const schema = 'lost_commits';
const owner = { id: 'owner', host: 'here', space: '', pid: 1, startedAt: '' };

const entry = (key: string, ordinal: number): EntryRow =>
  toRow({ type: 'step_ended', scope: '', ordinal, key, at: 1, data: { ok: true, attempts: 1 } });

const writes = {
  'an entry': (claim: Claim) => ({ name: 'append', input: { claim, rows: [entry('next', 1)] } }),
  'entries of several runs': (claim: Claim, other: Claim) => [
    { name: 'append', input: { claim, rows: [entry('next', 1)] } },
    { name: 'append', input: { claim: other, rows: [entry('next', 1)] } },
  ],
  'an entry with a request': (claim: Claim) => ({
    name: 'append',
    input: { claim, rows: [{ ...entry('next', 1), effect: { segment: { to: 'opened' } } }] },
  }),
  'a park': (claim: Claim) => ({ name: 'park', input: { claim, rows: [], wakeAt: null, lastMessage: 0 } }),
};

const losses = {
  'lost the entry before': (run: number) =>
    ask(database.url, `DELETE FROM ${schema}.journal WHERE run = $1 AND seq > 1`, [run]),
  'lost the claim, which somebody else has since under the same number': (run: number) =>
    ask(database.url, `UPDATE ${schema}.runs SET owner = 'other' WHERE id = $1`, [run]),
};

const cases = Object.keys(losses).flatMap((loss) => Object.keys(writes).map((write) => [write, loss] as const));

test.skipIf(isPostgresMissing).each(cases)('%s is refused by a server that has %s', async (write, loss) => {
  const engine = postgresEngine({ url: database.url, schema });
  onTestFinished(() => engine.close());
  const store = storeOn(makeLine(), { url: database.url, schema, ownerId: owner.id, patienceMs: 300 });
  onTestFinished(() => store.close());
  const execute = (...batch: readonly unknown[]): Promise<readonly Outcome[]> =>
    store.execute(batch as readonly Operation[]);
  const claim = async (runId: string): Promise<Claim> => {
    await engine.start({ runId, name: 'work', version: '1' });
    const claimant = { owner, leaseMs: 60_000, now: Date.now() };
    const [outcome] = await execute({ name: 'claim', input: { runId, claimant } });
    const { run, segment, epoch } = (outcome as { readonly value: ClaimedRun }).value;
    return { run, runId, segment, epoch };
  };
  const [run, other] = [await claim(`${write} ${loss}`), await claim(`other ${write} ${loss}`)];
  const first = (of: Claim): object => ({ name: 'append', input: { claim: of, rows: [entry('first', 0)] } });
  expect(await execute(first(run), first(other))).toEqual([
    { ok: true, value: 'written' },
    { ok: true, value: 'written' },
  ]);
  await losses[loss as keyof typeof losses](run.run);
  const [outcome, otherOutcome] = await execute(...[writes[write as keyof typeof writes](run, other)].flat());
  expect(outcome).toEqual({ ok: true, value: 'fenced' });
  // What else is written with it is not affected.
  if (otherOutcome !== undefined) expect(otherOutcome).toEqual({ ok: true, value: 'written' });
});
