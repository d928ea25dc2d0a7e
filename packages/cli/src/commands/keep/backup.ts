import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SqliteEngine, StoreEngine } from 'fullstop/engines/sqlite';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { withStore } from '../../store/open-store.js';

export const command = defineCommand({
  name: 'backup',
  summary: 'Copies the store to a new file while runs continue',
  operands: 'FILE',
  arity: [1, 1],
  options: {},
  examples: ['fullstop backup backups/runs-monday.db'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { positionals, terminal, cwd } = invocation;
      if (!canCopyItself(engine))
        throw new UsageError(
          'A store on Postgres is backed up with the tools of Postgres, such as pg_dump --schema=fullstop.',
        );
      const file = resolve(cwd, positionals[0] ?? '');
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      await engine.backup(file);
      terminal.error(
        `Copied to ${file} (${(statSync(file).size / 1024).toFixed(0)} KB). It can be used with --store.\n`,
      );
      return exitCodes.succeeded;
    }),
});

/** Files can be copied while they are used. */
function canCopyItself(engine: StoreEngine): engine is SqliteEngine {
  return 'backup' in engine;
}
