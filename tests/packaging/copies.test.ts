import { expect, inject, test } from 'vitest';
import { execute } from './execute.js';

const project = inject('project');

test('errors of one entry point are recognised with the class of another', async () => {
  const program = `
    import { FullstopError, defineRun, terminations } from 'fullstop';
    import { needlr } from 'fullstop/dialects';
    import { faultyEngine } from 'fullstop/testing';
    import { memoryEngine } from 'fullstop';
    let thrown;
    try { needlr.decode({ $kind: 'NoSuchWord' }); } catch (error) { thrown = error; }
    const run = defineRun({ name: 'run', run: async (context) => {
      await context.step('work', () => 1);
      return terminations.naturalEnd();
    } });
    const engine = faultyEngine(memoryEngine(), []);
    const { termination } = await run.run(undefined, { engine });
    console.log(thrown instanceof FullstopError, FullstopError.is(thrown), termination.kind);`;
  const output = await execute('node', ['--input-type=module', '--eval', program], project);
  expect(output.trim()).toBe('true true natural_end');
});
