import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { openEngine } from '../engines/sqlite/engine.fixture.js';
import { terminations } from '../termination/terminations.js';
import { defineRun } from './define-run.js';
import { end } from './ending/body-result.js';
import type { RunContext } from './run-context.js';

const body = async () => terminations.naturalEnd();
const run = defineRun({ name: 'run', run: body });

describe('a definition', () => {
  it.each([
    [undefined, 'defineRun'],
    [{}, 'name'],
    [{ name: '', run: body }, 'name'],
    [{ name: 'x' }, 'run'],
    [{ name: 'x', run: body, version: 1 }, 'version'],
    [{ name: 'x', run: body, graceMs: -1 }, 'graceMs'],
    [{ name: 'x', run: body, customTags: 'quiet' }, 'customTags is "quiet"; it must be a list of texts'],
    [{ name: 'x', run: body, customTags: ['a', 1] }, 'customTags[1] is 1'],
    [{ name: 'x', run: body, customTags: Array(51).fill('a') }, 'customTags has 51 texts; there may be 50'],
    [{ name: 'x', run: body, onEnding: 'ops' }, 'onEnding is "ops"'],
    [{ name: 'x', run: body, secrets: { KEY: 'value' } }, 'createSecrets'],
    [{ name: 'x', run: body, treatAsSuccess: true }, 'treatAsSuccess is true; it must be a function'],
    [{ name: 'x', run: body, terminations: { kind: 'a.b' } }, 'terminations has an object; it must be a list'],
    [{ name: 'x', run: body, terminations: [terminations.naturalEnd()] }, 'what defineTermination(…) gives'],
    [{ name: 'x', run: body, limit: { steps: 3 } }, 'The run "x" has no option "limit" (did you mean "limits"?)'],
  ])('%j is refused', (options, word) => {
    expect(() => defineRun(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(word) }),
    );
  });
});

describe('limits', () => {
  it('that are no object are refused', () => {
    expect(() => defineRun({ name: 'x', run: body, limits: 5 as never })).toThrow(
      expect.objectContaining({
        code: 'INVALID_LIMIT',
        message: expect.stringContaining('limits is 5; it must be an object with steps, timeMs'),
      }),
    );
  });
});

describe('a start', () => {
  it.each([
    { runId: '' },
    { runId: 5 },
    { signal: {} },
    { engine: 'runs.db' },
    { onPause: 'stay' },
    { onEntry: 'log' },
  ])('with %j is refused before anything starts', async (options) => {
    const [option] = Object.keys(options);
    await expect(run.run(undefined, options as never)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`The start of run: ${option}`),
    });
  });
});

describe('a resume', () => {
  it('with an option that there is none is refused: a misspelt limit would be no limit', async () => {
    const engine = memoryEngine();
    await expect(run.resume('r', { engine, limit: { steps: 3 } } as never)).rejects.toThrow(
      'The resume of run has no option "limit" (did you mean "limits"?)',
    );
    await expect(run.run(undefined, { engine, limits: { steps: 3 } } as never)).rejects.toThrow(
      'The start of run has no option "limits"; there are alwaysReplay, clock, engine',
    );
  });

  it('without the engine of the run is refused', async () => {
    for (const options of [undefined, {}])
      await expect(run.resume('r', options as never)).rejects.toThrow('The resume of run: engine is nothing');
  });
});

describe('a worker', () => {
  it.each([0, -1, Number.NaN, 0.5])('with a concurrency of %s is refused', (concurrency) => {
    for (const engine of [memoryEngine(), openEngine()])
      expect(() => engine.worker([run], { concurrency })).toThrow('it must be a whole number above 0');
  });
});

describe('an operation of a body', () => {
  const failing = (work: (context: RunContext) => Promise<unknown>) =>
    defineRun({
      name: 'failing',
      run: async (context) => {
        await work(context);
        return terminations.naturalEnd();
      },
    }).run(undefined);

  it.each([
    ['a sleep of NaN', (context: RunContext) => context.sleep('nap', Number.NaN), 'sleep(nap): milliseconds is NaN'],
    ['an endless sleep', (context: RunContext) => context.sleep('nap', Number.POSITIVE_INFINITY), 'sleep(nap)'],
    ['a step without a function', (context: RunContext) => context.step('do', undefined as never), 'step(do)'],
    ['a record without a function', (context: RunContext) => context.record('see', 5 as never), 'record(see)'],
    ['a step without a key', (context: RunContext) => context.step(7 as never, () => 1), 'step: key is 7'],
    ['a unit without a body', (context: RunContext) => context.child('unit', undefined as never), 'child(unit)'],
    ['a unit that seems to be in another', (context: RunContext) => context.child('docs/a.md', body), '"docs/a.md"'],
    ['a unit that seems to be a later visit', (context: RunContext) => context.child('page#2', body), '"page#2"'],
    ['a unit that seems to be a later attempt', (context: RunContext) => context.child('page~2', body), '"page~2"'],
    ['a request that is none', (context: RunContext) => context.wait(undefined as never), 'wait'],
    ['a request without an id', (context: RunContext) => context.wait({ type: 'gate' } as never), 'wait: id'],
    ['a request of no type', (context: RunContext) => context.wait({ id: 'q', type: 'x' as never }), 'wait(q): type'],
    [
      'a request with a misspelt expiry',
      (context: RunContext) => context.wait({ id: 'q', type: 'gate', onExpiry: 'deny' as never }),
      'wait(q): onExpiry',
    ],
    [
      'a request that escalates to nobody',
      (context: RunContext) => context.wait({ id: 'q', type: 'gate', deadline: 5, onExpiry: 'escalate' }),
      'wait(q): escalation is nothing; it must be { to, deadline? }, because onExpiry is "escalate".',
    ],
    [
      'a request that escalates to a nameless one',
      (context: RunContext) =>
        context.wait({ id: 'q', type: 'gate', deadline: 5, onExpiry: 'escalate', escalation: { to: '' } }),
      'wait(q): escalation.to is "";',
    ],
    ['a run that is none', (context: RunContext) => context.spawn(undefined as never), 'spawn'],
  ])('fails the run: %s', async (_what, work, words) => {
    const { termination } = await failing(work);
    expect(termination).toMatchObject({
      kind: 'failed',
      error: { code: 'INVALID_OPTION', message: expect.stringContaining(words) },
    });
  });

  it('lets a unit have a name with a number sign in it', async () => {
    expect((await failing((context) => context.child('page #2 of 3', body))).termination.kind).toBe('natural_end');
  });

  it('hands a spawned run its input as the journal holds it, and refuses what that cannot hold', async () => {
    const engine = memoryEngine();
    const inputs: unknown[] = [];
    const kid = defineRun({
      name: 'kid',
      run: async (_context, input: unknown) => {
        inputs.push(input);
        return terminations.naturalEnd();
      },
    });
    const spawning = (input: unknown) =>
      defineRun({
        name: 'parent',
        run: async (context) => {
          await (await context.spawn(kid, input as never)).ending();
          return terminations.naturalEnd();
        },
      }).run(undefined, { engine });
    await spawning({ at: new Date(0), none: undefined });
    expect(inputs).toStrictEqual([{ at: '1970-01-01T00:00:00.000Z' }]);
    const { termination } = await spawning({ count: 1n });
    expect(termination).toMatchObject({ kind: 'failed', error: { code: 'NOT_JSON' } });
    expect(inputs).toHaveLength(1);
  });

  it('that fails before it is awaited is no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const { termination } = await failing(async (context) => {
      const first = context.step('fail', () => Promise.reject(new Error('early')));
      const second = context.record('look', () => Promise.reject(new Error('early')));
      await context.sleep('meanwhile', 20);
      await expect(second).rejects.toThrow('early');
      await first;
    });
    process.off('unhandledRejection', listen);
    expect(termination).toMatchObject({ kind: 'failed', error: { message: 'early' } });
    expect(unhandled).toEqual([]);
  });

  it('that a cancellation stops before it is awaited is no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    const stop = new AbortController();
    const sleeper = defineRun({ name: 'sleeper', run: async () => terminations.naturalEnd() });
    const parent = defineRun({
      name: 'parent',
      run: async (context) => {
        const unit = context.child('inside', async (inner) => {
          await inner.sleep('long', 60_000);
          return terminations.naturalEnd();
        });
        await context.step('stop', () => stop.abort('enough'));
        const spawned = context.spawn(sleeper);
        await context.sleep('long', 60_000);
        return end(terminations.naturalEnd(), [await unit, (await spawned).runId]);
      },
    });
    const { termination } = await parent.run(undefined, { signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);
    expect(termination.kind).toBe('cancelled');
    expect(unhandled).toEqual([]);
  });
});
