import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { blocked, ending, reconciled } from '../../pipeline/runnable.fixture.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { instrument } from '../instrument.js';
import { observed, pathsOf } from '../providers.fixture.js';

const milliseconds = ({ duration: [seconds, nanos] }: ReadableSpan): number => seconds * 1000 + nanos / 1e6;

it('units that a segment continues have the same spans in it, from its start', async () => {
  const seen = observed();
  const engine = instrument(memoryEngine({ clock: simulatedClock() }), seen.telemetry);
  const flow = pipeline('p').phase('x', (phase) =>
    phase.stage('a', async (_, { context }) => {
      await context.wait({ id: 'q', type: 'input' });
      await context.sleep('work', 5000);
      return 1;
    }),
  );
  const paused = await flow.run(undefined, { engine });
  const before = seen.spans().length;
  await paused.resume({ answers: { q: { decision: 'value', value: 1 } } });
  const later = seen.spans().slice(before);
  expect(pathsOf(later)).toEqual(['resume', 'resume > run > phase > stage', 'resume > run > phase', 'resume > run']);
  expect(later.map(milliseconds)).toEqual([0, 5000, 5000, 5000]);
});

it('the span of a unit says what the definition of its kind says: a success of one’s own is no error', async () => {
  const seen = observed();
  const engine = instrument(memoryEngine(), seen.telemetry);
  const ends = [reconciled({ findings: 1 }), blocked({ by: 'x' })];
  for (const termination of ends) {
    const loop = { ...ending({ termination }), terminations: [reconciled, blocked] };
    // Validation puts the work into units of its own.
    await pipeline('p')
      .stage(
        'a',
        using(loop, () => 1),
        { validate: () => undefined },
      )
      .run(undefined, { engine });
  }
  const units = seen.spans().filter(({ name }) => name === 'fullstop.unit');
  expect(
    units.map(({ attributes, status }) => [
      attributes['fullstop.unit'],
      attributes['fullstop.outcome'],
      attributes['fullstop.termination'],
      status.code,
    ]),
  ).toEqual([
    ['attempt-1', 'succeeded', 'billing.reconciled', SpanStatusCode.UNSET],
    ['run', 'succeeded', 'billing.reconciled', SpanStatusCode.UNSET],
    ['attempt-1', 'failed', 'blocked', SpanStatusCode.ERROR],
    ['run', 'failed', 'blocked', SpanStatusCode.ERROR],
  ]);
});
