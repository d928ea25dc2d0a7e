import { defineRun, memoryEngine, terminations } from 'fullstop';
import { exportJournal, importJournal, verifyJournal } from 'fullstop/journal';

const survey = defineRun({
  name: 'survey',
  run: async (context) => {
    const answer = await context.wait({ id: 'colour', type: 'input', summary: 'Which colour?' });
    await context.step('note', () => answer.value);
    return terminations.flowCompleted({ last: 'note' });
  },
});

const laptop = memoryEngine();
await survey.run(undefined, { engine: laptop, runId: 'survey-1' });

// One entry per line: write them to a file, send them, keep them.
const lines: string[] = [];
for await (const line of exportJournal(laptop, 'survey-1')) lines.push(line);
console.log(lines.length, 'lines, the first of type', JSON.parse(lines[0] ?? '').type);

// An invalid line is reported by number, and nothing is imported.
const server = memoryEngine();
await importJournal(server, lines.with(1, '{"seq":2}')).catch((error: Error) => console.log(error.message));

// An export is a whole run: it can continue elsewhere.
console.log(await importJournal(server, lines));
const done = await survey.resume('survey-1', {
  engine: server,
  answers: { colour: { decision: 'value', value: 'green' } },
});
console.log(done.termination, await verifyJournal(await done.journal()));
