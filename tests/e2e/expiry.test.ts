import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

/** Waits until the open request of a run has expired; here time itself is the subject. */
async function expiry(runId: string): Promise<void> {
  const { waiting } = (await place.json(['why', runId, '--json'])) as { waiting: readonly { deadline: number }[] };
  const left = Math.max(...waiting.map(({ deadline }) => deadline)) - Date.now();
  await new Promise((done) => setTimeout(done, Math.max(left, 0) + 50));
}

describe('resume and answer', () => {
  it('apply an expired gate on resume and on answer, and do not offer it', async () => {
    const ways = { 'by-resume': ['resume', 'by-resume'], 'by-answer': ['answer', 'by-answer', '--choose', 'yes'] };
    for (const [runId, args] of Object.entries(ways)) {
      expect((await place.run(['run', 'deadline.yaml', '--run-id', runId])).code).toBe(5);
      await expiry(runId);
      expect((await place.run(['why', runId])).stdout).not.toContain('fullstop answer');
      await place.run(args);
      expect(await place.json(['why', runId, '--json'])).toMatchObject({
        ending: { termination: { termination: { kind: 'gate_expired' } } },
      });
    }
  });

  it('say when a request expired', async () => {
    expect((await place.run(['run', 'deadline.yaml', '--run-id', 'late-1'])).code).toBe(5);
    await expiry('late-1');
    const late = await place.run(['answer', 'late-1', 'review', '--choose', 'yes']);
    expect(late.code).toBe(3);
    expect(late.stderr).toContain('"review" expired at');
    expect(late.stderr).toContain('fullstop resume late-1 --deadline review=1d');
  });
});
