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

test('a machine is driven by one entry point in a run of another', async () => {
  const program = `
    import { defineRun, memoryEngine, terminations } from 'fullstop';
    import { drive, foldJournal } from 'fullstop/machine';
    const machine = {
      init: () => 0,
      decide: (count) => count < 3
        ? { type: 'perform', effects: [{ type: 'step', key: 'step ' + count, plan: count }] }
        : { type: 'end', termination: terminations.naturalEnd() },
      apply: (count) => count + 1,
    };
    const performer = { step: (plan) => plan };
    const run = defineRun({ name: 'run', run: (context) => drive({ machine, performer, context, input: undefined }) });
    const engine = memoryEngine();
    const { termination } = await run.run(undefined, { engine, runId: 'r' });
    console.log(termination.kind, foldJournal(machine, undefined, await engine.journal('r')));`;
  const output = await execute('node', ['--input-type=module', '--eval', program], project);
  expect(output.trim()).toBe('natural_end 3');
});

test('errors of engines are recognised with the classes of fullstop/engine', async () => {
  const program = `
    import { memoryEngine } from 'fullstop';
    import { RunIdConflict } from 'fullstop/engine';
    const engine = memoryEngine();
    const identity = { runId: 'r', name: 'run', version: '1' };
    await engine.start({ ...identity, input: 'one' });
    const thrown = await engine.start({ ...identity, input: 'two' }).catch((error) => error);
    console.log(thrown instanceof RunIdConflict);`;
  const output = await execute('node', ['--input-type=module', '--eval', program], project);
  expect(output.trim()).toBe('true');
});
