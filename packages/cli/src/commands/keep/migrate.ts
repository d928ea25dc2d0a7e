import { setTimeout as delay } from 'node:timers/promises';
import { type MoveReport, moveStore, type StoreEngine } from 'fullstop/engines/sqlite';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { NoStore, type Store, withStore } from '../../store/open-store.js';
import { confirm } from '../../terminal/confirm.js';
import { makeProgress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';

const betweenLooksMs = 500;
const mostNamed = 5;

export const command = defineCommand({
  name: 'migrate',
  summary: 'Moves all runs of a store to another store',
  operands: '',
  arity: [0, 0],
  options: {
    from: { type: 'text', value: 'STORE', about: 'The store to move: a file, or postgres://…' },
    to: { type: 'text', value: 'STORE', about: 'The store that gets its runs; it is made if there is none' },
    wait: { type: 'flag', about: 'Waits until no run is being executed, instead of refusing' },
    reopen: { type: 'flag', about: 'Lets the store of --from be used again; nothing is moved back' },
    yes: { type: 'flag', short: 'y', about: 'Does not ask' },
  },
  notes: [
    'First the old store is sealed: it can be read, and every change is refused, also by processes that have it open. Then each run is stored in the new one with its journal, hashes, large values, unread messages and undelivered notices, and verified there. Stop here, or lose the connection, and the same command continues.',
    'Runs that are being executed cannot be moved: the command refuses, or waits for them with --wait. Runs that wait for a person or a time are moved as they are. The old store stays as it is; delete it when you no longer need it.',
    'Exit code 1 when a run had to stay: it is damaged, or the new store has another run of its id.',
  ],
  examples: [
    'fullstop migrate --from .fullstop/runs.db --to postgres://worker@db.example/runs',
    'fullstop migrate --from .fullstop/runs.db --reopen --yes',
  ],
  run: async (invocation) => {
    const { options } = invocation;
    if (options.from === undefined || (options.to === undefined) !== options.reopen)
      throw new UsageError(
        'Name both stores: fullstop migrate --from .fullstop/runs.db --to postgres://user@host/runs. With --reopen, name only the one of --from.',
        { command: 'migrate' },
      );
    return withOldStore(invocation, options.from, (from) =>
      options.to === undefined ? reopen(from, invocation) : migrate(from, options.to, invocation),
    );
  },
});

/** Here stores are named by --from and --to: advice about --store would lead astray. */
async function withOldStore(
  invocation: MigrateInvocation,
  store: string,
  work: (from: Store) => Promise<number>,
): Promise<number> {
  try {
    return await withStore(at(invocation, store), 'change', work);
  } catch (error) {
    if (!(error instanceof NoStore)) throw error;
    throw new UsageError(`There is no store ${store}, which --from names. Nothing was moved; correct the path.`, {
      command: 'migrate',
      cause: error,
    });
  }
}

interface MigrateInvocation extends Pick<Invocation, 'cwd' | 'env' | 'loaded' | 'terminal'> {
  readonly options: { readonly wait: boolean; readonly yes: boolean };
}

function at(
  { cwd, env, loaded }: Pick<Invocation, 'cwd' | 'env' | 'loaded'>,
  store: string,
): Parameters<typeof withStore>[0] {
  return { cwd, env, loaded, options: { store } };
}

async function reopen({ engine, location }: Store, { options, terminal }: MigrateInvocation): Promise<number> {
  const target = await engine.movedTo();
  if (target === undefined) {
    terminal.error(`${location.file} was not moved; there is nothing to do.\n`);
    return exitCodes.succeeded;
  }
  const question = `Use ${location.file} again? Its runs are in ${target} too: whatever is executed in both happens twice.`;
  if (!options.yes && !(await confirm(terminal, question))) return exitCodes.cancelled;
  await engine.unseal();
  terminal.error(`${location.file} can be used again.\n`);
  return exitCodes.succeeded;
}

async function migrate(from: Store, target: string, invocation: MigrateInvocation): Promise<number> {
  const { terminal, options } = invocation;
  return withStore(at(invocation, target), 'make', async (to) => {
    if (to.location.file === from.location.file)
      throw new UsageError('--from and --to name the same store. Nothing was done.', { command: 'migrate' });
    // Asked first, so that a server that does not answer leaves the old store as it was.
    const onward = await to.engine.movedTo();
    if (onward !== undefined)
      throw new UsageError(`${to.location.file} was itself moved to ${onward}. Nothing was done.`);
    await sealFor(from.engine, { from: from.location.file, to: to.location.file, waits: options.wait, terminal });
    const progress = makeProgress(terminal, 'moving');
    const report = await moveStore(from.engine, to.engine, (moved) => progress.show(`${moved} runs`));
    progress.clear();
    return tell(report, { from: from.location.file, to: to.location.file, terminal });
  });
}

interface Ways {
  readonly from: string;
  readonly to: string;
  readonly terminal: Terminal;
}

async function sealFor(
  engine: StoreEngine,
  { from, to, waits, terminal }: Ways & { readonly waits: boolean },
): Promise<void> {
  const progress = makeProgress(terminal, 'waiting');
  for (;;) {
    const receipt = await engine.seal(to);
    if (receipt.status === 'sealed') break;
    if (receipt.status === 'moved')
      throw new UsageError(
        `${from} was moved to ${receipt.to} before. Name that store with --to to continue, or use this one again with --reopen. Nothing was done.`,
      );
    const { runIds } = receipt;
    const named = `${runIds.slice(0, mostNamed).join(', ')}${runIds.length > mostNamed ? ', …' : ''}`;
    if (!waits)
      throw new UsageError(
        `${runIds.length} ${runIds.length === 1 ? 'run is' : 'runs are'} being executed: ${named}. Stop the workers of ${from}, or pass --wait. Nothing was done.`,
      );
    progress.show(`${runIds.length} runs are being executed`);
    await delay(betweenLooksMs);
  }
  progress.clear();
}

function tell({ moved, existing, erasures, left }: MoveReport, { from, to, terminal }: Ways): number {
  for (const { runId, reason } of left) terminal.error(`${runId} stays: ${reason}\n`);
  const parts = [
    `Moved ${moved} ${moved === 1 ? 'run' : 'runs'} to ${to}; each was verified there.`,
    ...(existing > 0 ? [`${existing} ${existing === 1 ? 'was' : 'were'} there already.`] : []),
    ...(erasures > 0
      ? [`${erasures} ${erasures === 1 ? 'was' : 'were'} erased long ago; that is known there too.`]
      : []),
    `${from} can be read and no longer changes.`,
  ];
  terminal.error(`${parts.join(' ')}\n`);
  return left.length === 0 ? exitCodes.succeeded : exitCodes.fatal;
}
