import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { unitTree } from '../../journal/unit-tree.js';
import { showText } from '../../render/show-text.js';
import { whyText } from '../../render/why-text.js';
import { withStore } from '../../store/open-store.js';
import { readRun } from '../../store/read-run.js';
import type { Terminal } from '../../terminal/terminal.js';
import { explainDamage } from '../../why/explain-damage.js';
import type { DamagedRun } from '../../why/explain-run.js';

export const command = defineCommand({
  name: 'show',
  summary: 'Shows what a run did: its timeline, steps, tokens and cost',
  operands: '[RUN]',
  arity: [0, 1],
  options: {
    json: { type: 'flag', about: 'The summary, ending and tree of units as JSON' },
    values: { type: 'flag', about: 'Also shows the result of each step' },
  },
  examples: ['fullstop show', 'fullstop show r_8fk2 --values'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal } = invocation;
      const record = await readRun(engine, positionals[0]);
      if ('damage' in record) return showDamage(record, options.json, terminal);
      const root = unitTree(record.journal);
      if (options.json) {
        const { summary, ending, requests } = record;
        terminal.data(`${JSON.stringify({ ...summary, ending, requests, units: root }, null, 2)}\n`);
        return exitCodes.succeeded;
      }
      const look = { style: terminal.outStyle, columns: terminal.outColumns, now: Date.now(), values: options.values };
      terminal.out(showText(record, root, look));
      return exitCodes.succeeded;
    }),
});

function showDamage(record: DamagedRun, json: boolean, terminal: Terminal): number {
  const look = { style: terminal.outStyle, columns: terminal.outColumns, now: Date.now() };
  terminal.out(
    json
      ? `${JSON.stringify({ ...record.summary, damage: record.damage }, null, 2)}\n`
      : whyText(explainDamage(record), look),
  );
  return exitCodes.fatal;
}
