import { countSteps } from './scene.js';
import { openStore } from './store.js';

/** A document whose step has a template that counts and a condition that leads back to it. */
const text = `
workflow:
  name: counting
  entry_point: count
  input: {steps: {type: number}}
agents:
  - name: count
    type: set
    values: {n: "{{ (count.output.n if count is defined else 0) + 1 }}"}
    routes:
      - {to: count, when: "n < workflow.input.steps"}
      - {to: $end}
output: {n: "{{ count.output.n }}"}
`;

/** A workflow from YAML, on memory unless the variant names another engine. */
export async function make(load, variant) {
  const { loadWorkflow } = await load('fullstop/workflow');
  const engine = await openStore(load, variant);
  const workflow = loadWorkflow('counting.yaml', { text });
  return async (steps) => {
    const { termination, output } = await workflow.run({ steps }, { engine, maxIterations: steps + 1 });
    countSteps(output?.n ?? 0);
    return termination.kind === 'flow_completed' ? 'done' : termination.kind;
  };
}
