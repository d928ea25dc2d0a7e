import { describe, expect, it } from 'vitest';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { fallback, retry } from './decorators.js';
import { pipeline } from './pipeline.js';
import { ending } from './runnable.fixture.js';

const work = () => 1;
const p = pipeline('p');

describe('options that cannot be meant are refused', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a pipeline without a name', () => pipeline(''), /name.*not empty/],
    ['a pipeline', () => pipeline('p', { limit: { tokens: 1 } } as never), /did you mean "limits"/],
    ['secrets', () => pipeline('p', { secrets: { KEY: 'value' } as never }), /createSecrets/],
    ['gate', () => pipeline('p', { gate: 'x' as never }), /gate.*must be a function/],
    ['input', () => pipeline('p', { input: {} as never }), /Standard Schema/],
    ['no work', () => p.stage('a', undefined as never), /"a" has .* as its work/],
    [
      'a bare definition',
      () => p.stage('a', ending({ termination: terminations.naturalEnd() }) as never),
      /using\(definition/,
    ],
    ['disposition', () => p.stage('a', work, { disposition: 'continue' as never }), /"abort" or "advisory"/],
    ['a stage', () => p.stage('a', work, { onComplete: () => null } as never), /did you mean "onCompleted"/],
    ['skip', () => p.stage('a', work, { skip: true as never }), /skip.*must be a function/],
    ['a phase', () => p.phase('x', (phase) => phase.stage('a', work), { limit: {} } as never), /"limits"/],
    ['a phase without stages', () => p.phase('x', () => undefined as never), /must return the phase/],
    ['retry', () => retry(work, { attempt: 2 } as never), /did you mean "attempts"/],
    ['fallback', () => fallback(work, work, { wen: () => true } as never), /did you mean "when"/],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  it.each([
    ['skip', (said: never) => p.stage('a', work, { skip: () => said })],
    ['validate', (said: never) => p.stage('a', work, { validate: () => said })],
    ['gate', (said: never) => pipeline('p', { gate: () => said }).stage('a', work)],
  ])('an answer of %s that says neither yes nor why', async (name, flow) => {
    for (const said of [true, '', ' ']) {
      const { termination, outcome } = await flow(said as never).run();
      expect(outcome).toBe('failed');
      expect(rootCause(termination)).toMatchObject({
        kind: 'failed',
        errorClass: 'configuration',
        error: { message: expect.stringContaining(`${name} returned ${JSON.stringify(said)}; it must return a text`) },
      });
    }
  });
});
