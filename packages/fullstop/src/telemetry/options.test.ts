import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { instrument } from './instrument.js';
import { projectJournal } from './project-journal.js';
import { createTelemetry } from './telemetry.js';

describe('options that cannot be meant are refused', () => {
  it.each<[object, RegExp, string]>([
    [{ dialect: 'nope' }, /dialect is "nope"; it must be "needlr"/, 'INVALID_OPTION'],
    [{ dialect: 'neeldr' }, /did you mean "needlr"/, 'INVALID_OPTION'],
    [{ mostSeries: 0 }, /mostSeries is 0; it must be a whole number above 0/, 'INVALID_LIMIT'],
    [{ mostSerie: 5 }, /no option "mostSerie" \(did you mean "mostSeries"\?\)/, 'INVALID_OPTION'],
    [{ runtimes: { x: 'agnt' } }, /did you mean "agent"/, 'INVALID_OPTION'],
    [{ runtimes: null }, /runtimes is null; it must be an object/, 'INVALID_OPTION'],
    [{ genAi: true }, /genAi is true; it must be "2026-10"/, 'INVALID_OPTION'],
    [{ genAi: '2026-11' }, /genAi is "2026-11"; it must be "2026-10"/, 'INVALID_OPTION'],
    [{ meterProvider: null }, /meterProvider is null.*getMeter/, 'INVALID_OPTION'],
    [{ tracerProvider: {} }, /tracerProvider.*getTracer/, 'INVALID_OPTION'],
    [{ meterProvider: {} }, /meterProvider.*getMeter/, 'INVALID_OPTION'],
  ])('%j', (options, message, code) => {
    expect(() => createTelemetry(options as never)).toThrow(message);
    expect(() => createTelemetry({ ...options, enabled: false } as never)).toThrow(expect.objectContaining({ code }));
  });
});

describe('what is no set of options', () => {
  it.each([null, 5, 'needlr', { enabled: 'no' }])('%j is refused', (options) => {
    expect(() => createTelemetry(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});

describe('projectJournal', () => {
  it.each<[string, unknown, unknown, RegExp]>([
    ['nothing', undefined, createTelemetry(), /journal is nothing; it must be the entries of a run/],
    ['the promise of a journal', Promise.resolve([]), createTelemetry(), /await result\.journal\(\)/],
    ['no telemetry', [], undefined, /telemetry is nothing; it must be what createTelemetry\(…\) returns/],
  ])('refuses %s', (_, journal, telemetry, message) => {
    expect(() => projectJournal(journal as never, telemetry as never)).toThrow(message);
  });
});

describe('instrument', () => {
  const [engine, telemetry] = [memoryEngine(), createTelemetry()];

  it.each<[string, unknown, unknown, RegExp]>([
    ['nothing', engine, undefined, /instrument: telemetry is nothing; it must be what createTelemetry\(…\) returns/],
    ['options in place of telemetry', engine, { mostSeries: 5 }, /instrument: telemetry is an object/],
    ['no engine', undefined, telemetry, /instrument: engine is nothing; it must be an engine/],
    ['its arguments in the wrong order', telemetry, engine, /instrument: engine is an object/],
  ])('refuses %s, which would measure nothing', (_, given, what, message) => {
    expect(() => instrument(given as never, what as never)).toThrow(message);
  });

  it('gives an engine that can be spread, as the one in it can', async () => {
    const instrumented = instrument(engine, telemetry);
    expect(Object.keys({ ...instrumented }).sort()).toEqual(Object.keys(engine).sort());
    expect(instrumented.start).not.toBe(engine.start);
    expect({ ...instrumented }.start).toBe(instrumented.start);
    expect((await { ...instrumented }.list()).runs).toEqual([]);
  });
});
