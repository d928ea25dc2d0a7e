import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { engineOpeners, type OpenedEngine } from '../conformance/open-engine.js';
import type { Attack, AttackOptions } from './attack.js';

/** Cases that one store gets: with more, every look at all of its runs would take longer than the cases. */
const casesOfStore = 250;

/** Random cases against stores that nothing else uses. Throws what broke a promise. */
type CasesOnStore<TResult extends string> = (
  open: () => Engine,
  options: Pick<AttackOptions, 'seed' | 'count'>,
  note: (result: TResult) => void,
) => Promise<void>;

/** Makes an attack of random cases, of which every engine gets the same number. */
export function onEveryEngine<TResult extends string>(perform: CasesOnStore<TResult>): Attack['perform'] {
  return async ({ seed, count, onProgress }) => {
    const counts: Record<string, number> = {};
    const failures: string[] = [];
    let done = 0;
    for (let batch = 0; done < count; batch += 1) {
      const [name, open] = engineOpeners[batch % engineOpeners.length] as (typeof engineOpeners)[number];
      const size = Math.min(casesOfStore, count - done);
      const opened: OpenedEngine[] = [];
      const openOne = (): Engine => {
        const one = open();
        opened.push(one);
        return one.engine;
      };
      const note = (result: TResult): void => {
        counts[`${name} ${result}`] = (counts[`${name} ${result}`] ?? 0) + 1;
      };
      // The generators of the cases take 32 bits.
      await perform(openOne, { seed: (seed + batch) | 0, count: size }, note).catch((error: unknown) => {
        failures.push(`seed ${seed}, batch ${batch} on the ${name} engine: ${String(error)}`);
      });
      for (const { remove } of opened) await remove();
      done += size;
      onProgress?.(done);
    }
    return { counts: { cases: done, ...counts }, failures };
  };
}
