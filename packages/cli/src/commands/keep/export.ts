import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { exportJournal } from 'fullstop/journal';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { findRun } from '../../store/find-run.js';
import { matchingRuns } from '../../store/matching-runs.js';
import { withStore } from '../../store/open-store.js';
import { runFilterOptions } from '../../store/run-filter-options.js';
import { makeProgress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';

export const command = defineCommand({
  name: 'export',
  summary: 'Writes whole runs to one file, one journal entry a line',
  operands: '[RUN...]',
  arity: [0, Number.POSITIVE_INFINITY],
  options: {
    ...runFilterOptions,
    all: { type: 'flag', about: 'Every run that matches the filters' },
    output: { type: 'text', value: 'FILE', short: 'o', about: 'Where to write; standard output unless given' },
  },
  examples: ['fullstop export r_8fk2 -o run.jsonl', 'fullstop export --all --since 7d | gzip > week.jsonl.gz'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal, cwd } = invocation;
      if (options.all === positionals.length > 0)
        throw new UsageError('Name the runs to export, or pass --all for every run that matches the filters.', {
          command: 'export',
        });
      // Opened before anything else, so that a path that cannot be written is refused at once.
      const file = options.output === undefined ? undefined : await open(resolve(cwd, options.output), 'w', 0o600);
      const sink = file?.createWriteStream();
      const written = sink && finished(sink);
      const progress = makeProgress(terminal, 'exporting');
      let count = 0;
      const runs = options.all ? matchingRuns(engine, options) : positionals.map((name) => findRun(engine, name));
      for await (const { runId } of runs) {
        for await (const line of exportJournal(engine, runId)) await write(sink, `${line}\n`, terminal);
        count += 1;
        progress.show(`${count} runs`);
      }
      sink?.end();
      await written;
      progress.clear();
      terminal.error(`Exported ${count} ${count === 1 ? 'run' : 'runs'}.\n`);
      return exitCodes.succeeded;
    }),
});

async function write(sink: WriteStream | undefined, text: string, terminal: Terminal): Promise<void> {
  if (sink === undefined) terminal.data(text);
  else if (!sink.write(text)) await once(sink, 'drain');
}
