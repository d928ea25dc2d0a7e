import { describe, expect, it } from 'vitest';
import { checkStages, stagesSource } from '../../bench/check-stages.js';

// What this is in seconds is printed by `npm run bench -- types`; the compiler's own count is the same on every machine.
describe('the types of a pipeline whose stages read one another', () => {
  const empty = checkStages(stagesSource(0));
  const costOf = (stages: number): number => {
    const { errors, instantiations } = checkStages(stagesSource(stages), empty.program);
    expect(errors).toEqual([]);
    return instantiations;
  };

  it('cost a bounded number of instantiations for each of 50 stages', { timeout: 300_000 }, () => {
    expect(empty.errors).toEqual([]);
    expect(costOf(50)).toBeLessThan(50 * 200);
  });

  it('cost about twice as much for twice as many stages', { timeout: 300_000 }, () => {
    expect(costOf(60) / costOf(30)).toBeLessThan(2.5);
  });

  it('find the mistakes in it', { timeout: 300_000 }, () => {
    const wrong = stagesSource(50).replace('s24.output +', 's24.ouput +');
    expect(checkStages(wrong).errors.join('\n')).toContain("Property 'ouput' does not exist");
  });
});
