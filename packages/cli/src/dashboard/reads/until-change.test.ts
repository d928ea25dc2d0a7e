import { describe, expect, it } from 'vitest';
import { DashboardPlace } from '../dashboard.fixture.js';
import { untilChange } from './until-change.js';

describe('untilChange', () => {
  it('reads again only when a run got an entry, and after a failure', async () => {
    const place = await DashboardPlace.open();
    const { engine } = place.store;
    let reads = 0;
    const cached = untilChange(engine);
    const read = (): Promise<number> => {
      reads += 1;
      return reads === 2 ? Promise.reject(new Error('busy')) : Promise.resolve(reads);
    };
    expect([await cached('a', read), await cached('a', read)]).toEqual([1, 1]);
    await engine.start({ runId: 'r_1', name: 'work', version: '1' });
    await expect(cached('a', read)).rejects.toThrow('busy');
    expect([await cached('a', read), await cached('b', read)]).toEqual([3, 4]);
    await place.close();
  });
});
