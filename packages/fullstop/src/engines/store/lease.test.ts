import { expect, it } from 'vitest';
import { Lease } from './lease.js';

const owner = { id: 'owner', host: 'here', space: '', pid: 1, startedAt: '' };

function makeLease(): { readonly lease: Lease; readonly time: { now: number } } {
  const time = { now: 1000 };
  const lease = new Lease({ owner, leaseMs: 100, now: () => 0, monotonic: () => time.now, reliedOn: 0.5 });
  return { lease, time };
}

it('counts from the instant at which its renewal was begun', () => {
  const { lease, time } = makeLease();
  expect([lease.isValid, lease.isOver]).toEqual([false, true]);
  const sign = lease.claimant('');
  time.now += 40;
  lease.renewed(sign);
  expect([lease.isValid, lease.isOver]).toEqual([true, false]);
  time.now += 10;
  expect([lease.isValid, lease.isOver]).toEqual([false, true]);
});

it('is not valid once it is revoked, although its time is not over, until a sign of life that was begun after that', () => {
  const { lease, time } = makeLease();
  lease.renewed(lease.claimant(''));
  const underWay = lease.claimant('');
  time.now += 1;
  lease.revoke();
  expect([lease.isValid, lease.isOver]).toEqual([false, false]);
  lease.renewed(underWay);
  expect(lease.isValid).toBe(false);
  lease.renewed(lease.claimant(''));
  expect(lease.isValid).toBe(true);
});
