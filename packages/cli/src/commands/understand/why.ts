import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { whyMarkdown } from '../../render/why-markdown.js';
import { whyText } from '../../render/why-text.js';
import { withStore } from '../../store/open-store.js';
import { readRun } from '../../store/read-run.js';
import { explainRecord } from '../../why/explain-damage.js';

export const command = defineCommand({
  name: 'why',
  summary: 'Says why a run ended and what to do next',
  operands: '[RUN]',
  arity: [0, 1],
  options: {
    json: { type: 'flag', about: 'The explanation as JSON' },
    markdown: { type: 'flag', about: 'The explanation as Markdown, for a job summary or a ticket' },
  },
  notes: ['RUN is an id, the beginning of one, or last (the newest run, which is also meant when none is named).'],
  examples: ['fullstop why', 'fullstop why r_8fk2 --json', 'fullstop why last --markdown >> "$GITHUB_STEP_SUMMARY"'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal } = invocation;
      const explanation = explainRecord(await readRun(engine, positionals[0]), options.store);
      if (options.json)
        terminal.data(`${JSON.stringify(explanation, null, 2)}
`);
      else if (options.markdown) terminal.out(whyMarkdown(explanation));
      else
        terminal.out(whyText(explanation, { style: terminal.outStyle, columns: terminal.outColumns, now: Date.now() }));
      return explanation.damage === undefined ? exitCodes.succeeded : exitCodes.fatal;
    }),
});
