import { describe, expect, it } from 'vitest';
import { createTelemetry } from './telemetry.js';

describe('options that cannot be meant are refused', () => {
  it.each<[object, RegExp, string]>([
    [{ dialect: 'nope' }, /dialect is "nope"; it must be "needlr"/, 'INVALID_OPTION'],
    [{ dialect: 'neeldr' }, /did you mean "needlr"/, 'INVALID_OPTION'],
    [{ mostSeries: 0 }, /mostSeries is 0; it must be a whole number above 0/, 'INVALID_LIMIT'],
    [{ mostSerie: 5 }, /no option "mostSerie" \(did you mean "mostSeries"\?\)/, 'INVALID_OPTION'],
    [{ runtimes: { x: 'agnt' } }, /did you mean "agent"/, 'INVALID_OPTION'],
    [{ tracerProvider: {} }, /tracerProvider.*getTracer/, 'INVALID_OPTION'],
    [{ meterProvider: {} }, /meterProvider.*getMeter/, 'INVALID_OPTION'],
  ])('%j', (options, message, code) => {
    expect(() => createTelemetry(options as never)).toThrow(message);
    expect(() => createTelemetry({ ...options, enabled: false } as never)).toThrow(expect.objectContaining({ code }));
  });
});
