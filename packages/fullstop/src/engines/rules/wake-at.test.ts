import { expect, it } from 'vitest';
import { pausedEnvelope, storedEnvelope } from './envelope.fixture.js';
import { wakeAtOf } from './wake-at.js';

it('is the first deadline that an ending lists, if it lists one', () => {
  expect(wakeAtOf(pausedEnvelope())).toBe(1000);
  expect(wakeAtOf(storedEnvelope())).toBeUndefined();
  const requests = [{ id: 'q', path: '', type: 'input' as const }];
  expect(wakeAtOf(storedEnvelope({ termination: { kind: 'interaction_pending', requests } }))).toBeUndefined();
});
