import { type AlwaysPossible, defineRun, type RunDefinition, type Termination, terminations } from 'fullstop';
import { result } from './line.js';

export const stepsOfEach = 20;
/** Both execute 50 runs at once; a crew of two does so in two processes. */
export const crews = [
  { name: 'one', members: 1 },
  { name: 'two', members: 2 },
] as const;

/** The same run under the name of each crew, so that both can be asked in turn. */
export function sharedRun(
  name: string,
): RunDefinition<undefined, Termination<'natural_end'> | AlwaysPossible, undefined> {
  return defineRun({
    name,
    run: async (context) => {
      for (let step = 0; step < stepsOfEach; step += 1) await context.step('work', () => result);
      return terminations.naturalEnd();
    },
  });
}
