import fc from 'fast-check';
import { expect, it } from 'vitest';

it('properties draw from the seed that is said when a test fails', () => {
  const { seed } = fc.readConfigureGlobal();
  expect(seed).toBeTypeOf('number');
  const draw = (): readonly number[] => {
    const drawn: number[] = [];
    fc.assert(
      fc.property(fc.integer(), (value) => {
        drawn.push(value);
      }),
    );
    return drawn;
  };
  expect(draw()).toEqual(draw());
});
