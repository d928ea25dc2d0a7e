import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';
import { isolate } from './isolate.js';

const module = new URL('./isolated-functions.fixture.js', import.meta.url);
const minute = 60_000;

describe('an isolated function', () => {
  it('returns what the function of the module returns', async () => {
    expect(await isolate({ module, export: 'double', timeoutMs: minute })(21)).toBe(42);
    expect(await isolate({ module: module.href, export: 'double', timeoutMs: minute })(1)).toBe(2);
  });

  it('is ended after its time although it never yields, while everything else continues', async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 5);
    const looping = isolate({ module, export: 'loopForever', timeoutMs: 300 })();
    await expect(looping).rejects.toMatchObject({
      code: 'ISOLATED_TIMEOUT',
      message: 'The isolated function loopForever took longer than 300 ms.',
    });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(0);
  });

  it('is ended with its signal', async () => {
    const controller = new AbortController();
    const loop = isolate({ module, export: 'loopForever', timeoutMs: 10 * minute });
    const looping = loop(undefined, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(looping).rejects.toMatchObject({ code: 'ISOLATED_ABORTED' });
    await expect(loop(undefined, { signal: controller.signal })).rejects.toMatchObject({ code: 'ISOLATED_ABORTED' });
  });

  it.each([
    ['throws', 'refuse', { name: 'RangeError', message: 'Not that one.', code: 'REFUSED' }],
    ['ends its thread', 'leave', { code: 'ISOLATED_EXITED', message: expect.stringContaining('with code 3') }],
    ['needs too much memory', 'hoard', { code: 'ISOLATED_OUT_OF_MEMORY' }],
    ['is not there', 'nothing', { code: 'INVALID_OPTION', message: expect.stringContaining('no function nothing') }],
    ['returns what cannot be copied', 'makeFunction', { name: 'DataCloneError' }],
  ])('that %s fails with a code that says so', async (_, name, error) => {
    await expect(isolate({ module, export: name, timeoutMs: minute, memoryMb: 30 })()).rejects.toMatchObject(error);
  });

  it.each([
    ['module', { module: './crunch.js', export: 'x', timeoutMs: 1 }],
    ['module', { module: undefined as never, export: 'x', timeoutMs: 1 }],
    ['export', { module, export: '', timeoutMs: 1 }],
    ['timeoutMs', { module, export: 'x', timeoutMs: Number.NaN }],
  ])('is refused with a wrong %s', (option, options) => {
    expect(() => isolate(options)).toThrow(option);
  });
});

describe('a step with an isolated function', () => {
  const crunch = isolate({ module, export: 'double', timeoutMs: minute });
  const loop = isolate({ module, export: 'loopForever', timeoutMs: 300 });

  it('has its result, or fails the run with the code of what happened', async () => {
    const run = defineRun({
      name: 'crunch',
      run: async (context) => {
        const doubled = await context.step('crunch', ({ signal }) => crunch(4, { signal }));
        await context.step('loop', ({ signal }) => loop(undefined, { signal }));
        return end(terminations.naturalEnd(), { doubled: doubled as number });
      },
    });
    const engine = memoryEngine();
    const { runId, termination } = await run.run(undefined, { engine });
    expect(termination).toMatchObject({ kind: 'failed', error: { code: 'ISOLATED_TIMEOUT' } });
    const [first] = await engine.journal(runId, { types: ['step_ended'] });
    expect(first?.data).toMatchObject({ value: 8 });
  });

  it('is stopped when its run is cancelled, although it never yields', async () => {
    const endless = isolate({ module, export: 'loopForever', timeoutMs: 10 * minute });
    const controller = new AbortController();
    const run = defineRun({
      name: 'endless',
      run: async (context) => {
        await context.step('loop', ({ signal }) => {
          setTimeout(() => controller.abort(), 20);
          return endless(undefined, { signal });
        });
        return terminations.naturalEnd();
      },
    });
    const { termination } = await run.run(undefined, { engine: memoryEngine(), signal: controller.signal });
    expect(termination.kind).toBe('cancelled');
  });
});
