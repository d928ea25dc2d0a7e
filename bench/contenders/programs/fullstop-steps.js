import { execute } from './scene.js';
import { openStore } from './store.js';

/** Steps of a body, on memory unless the variant names another engine. */
export async function make(load, variant) {
  const { defineRun, terminations } = await load('fullstop');
  const engine = await openStore(load, variant);
  const body = defineRun({
    name: 'counting',
    version: '1',
    run: async (context, { steps }) => {
      let n = 0;
      while (n < steps) ({ next: n } = await context.step('count', () => execute({ n })));
      return { termination: terminations.naturalEnd(), output: n };
    },
  });
  return async (steps) => {
    const { termination, output } = await body.run({ steps }, { engine });
    return termination.kind === 'natural_end' && output === steps ? 'done' : `${termination.kind} at ${output}`;
  };
}
