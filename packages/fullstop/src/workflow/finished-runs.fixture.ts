import { measureFinishedRuns } from '../run/measure-finished-runs.fixture.js';
import { loadWorkflow } from './load-workflow.js';

const text = `
workflow: {name: counting, entry_point: count, input: {steps: {type: number}}}
agents:
  - name: count
    type: set
    values: {n: "{{ (count.output.n if count is defined else 0) + 1 }}"}
    routes: [{to: count, when: "n < workflow.input.steps"}, {to: $end}]
`;

const workflow = loadWorkflow('counting.yaml', { text });
const counting = await measureFinishedRuns(() => workflow.run({ steps: 40 }, { maxIterations: 50 }));
process.stdout.write(JSON.stringify({ counting }));
