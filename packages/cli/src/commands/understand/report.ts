import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { userName } from '../../answer/user-name.js';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { packageFolder, programVersion } from '../../command-line/package-folder.js';
import { rowMaker } from '../../dashboard/reads/run-row.js';
import { workflowDrawing } from '../../dashboard/view/workflow-drawing.js';
import { reportData } from '../../report/report-data.js';
import { reportPage } from '../../report/report-page.js';
import { withStore } from '../../store/open-store.js';
import { readRun } from '../../store/read-run.js';

export const command = defineCommand({
  name: 'report',
  summary: 'Writes the page of a run as one file that needs no server and no network',
  operands: '[RUN]',
  arity: [0, 1],
  options: { output: { type: 'text', short: 'o', value: 'FILE', about: 'The file to write; RUN.html unless given' } },
  notes: ['The file has the graph, why, timeline, conversation, facts, journal, replay and what-if of the dashboard.'],
  examples: ['fullstop report', 'fullstop report r_8fk2 -o run.html'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine, location }) => {
      const { options, positionals, terminal, env, cwd } = invocation;
      const record = await readRun(engine, positionals[0]);
      const { runId, name } = record.summary;
      const loaded = 'damage' in record ? undefined : await workflowDrawing(record.journal, { ...env });
      const row = await rowMaker({ engine, store: options.store }).rowOf(record.summary);
      const session = {
        version: programVersion(),
        store: location.file,
        readOnly: true,
        by: userName(env),
        followable: false,
      };
      const data = reportData(record, { loaded, store: options.store, session, row, madeAt: Date.now() });
      const json = terminal.masked(JSON.stringify(data));
      const file = resolve(cwd, options.output ?? `${runId.replace(/[^\w.-]/g, '_')}.html`);
      writeFileSync(file, reportPage(terminal.masked(`${name} · ${runId}`), json, assets()));
      terminal.error(`Written to ${file}\n`);
      return exitCodes.succeeded;
    }),
});

/** The page and its styles, as the build has put them beside this program. */
function assets(): { readonly script: string; readonly styles: string } {
  const folder = join(packageFolder(), 'dist', 'report');
  return {
    script: readFileSync(join(folder, 'report.js'), 'utf8'),
    styles: readFileSync(join(folder, 'report.css'), 'utf8'),
  };
}
