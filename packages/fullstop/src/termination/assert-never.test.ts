import { expect, it } from 'vitest';
import { assertNever } from './assert-never.js';

it('is loud at run time about a case that the types ruled out', () => {
  expect(() => assertNever('unknown status', 'surprise' as never)).toThrow(new TypeError('unknown status: surprise'));
});
