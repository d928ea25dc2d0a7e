import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { importJournal } from 'fullstop/journal';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { isThere } from '../../command-line/is-there.js';
import { UsageError } from '../../command-line/usage-error.js';
import { withStore } from '../../store/open-store.js';

export const command = defineCommand({
  name: 'import',
  summary: 'Imports runs from a file that export has written',
  operands: 'FILE',
  arity: [1, 1],
  options: {},
  notes: [
    'FILE is - for the standard input. Each run is checked first; one that is broken is not imported, and neither is any after it.',
  ],
  examples: ['fullstop import run.jsonl', 'gunzip -c week.jsonl.gz | fullstop import -'],
  run: (invocation) => {
    const { positionals, terminal, cwd } = invocation;
    const [name = ''] = positionals;
    const file = resolve(cwd, name);
    if (name !== '-' && !isThere(file)) throw new UsageError(`There is no file ${file}.`);
    return withStore(invocation, 'make', async ({ engine }) => {
      const input = name === '-' ? process.stdin : createReadStream(file);
      const { imported, existing } = await importAll(
        engine,
        createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }),
      );
      const there = existing === 0 ? '' : ` ${existing} were there already.`;
      terminal.error(`Imported ${imported} ${imported === 1 ? 'run' : 'runs'}.${there}\n`);
      return exitCodes.succeeded;
    });
  },
});

/** Runs follow one another; a new one begins with its first entry. */
async function importAll(
  engine: StoreEngine,
  lines: AsyncIterable<string>,
): Promise<{ readonly imported: number; readonly existing: number }> {
  let [imported, existing]: [number, number] = [0, 0];
  let run: string[] = [];
  const take = async (): Promise<void> => {
    if (run.length === 0) return;
    const { status } = await importJournal(engine, run);
    if (status === 'imported') imported += 1;
    else existing += 1;
    run = [];
  };
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (isFirst(line)) await take();
    run.push(line);
  }
  await take();
  return { imported, existing };
}

function isFirst(line: string): boolean {
  try {
    return (JSON.parse(line) as { readonly type?: unknown }).type === 'run_started';
  } catch {
    // Whatever it is, the import of the run says so with its place.
    return false;
  }
}
