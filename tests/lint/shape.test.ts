import { describe, expect, test } from 'vitest';
import { fileShape, largestCircle, widestFolder } from '../../scripts/shape.js';

const sources = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(files));

describe('the largest circle of imports', () => {
  test('is empty where imports have one direction', () => {
    const files = { 'a.ts': "import './b.js';", 'b.ts': "import './c.js';", 'c.ts': '' };
    expect(largestCircle(sources(files))).toEqual([]);
  });

  test.each([
    ["import { a } from '../a.js';"],
    ["import type { A } from '../a.js';"],
    ["export { a } from '../a.js';"],
    ["export type { A } from '../a.js';"],
    ["import {\n  type A,\n} from '../a.js';"],
    ["const a = await import('../a.js');"],
    ["type A = import('../a.js').A;"],
  ])('is closed by %s', (text) => {
    const files = { 'a.ts': "import './rooms/b.js';", 'rooms/b.ts': "import './c.js';", 'rooms/c.ts': text };
    expect(largestCircle(sources(files))).toEqual(['a.ts', 'rooms/b.ts', 'rooms/c.ts']);
  });

  test('is the larger of two, without what only leads to it or from it', () => {
    const files = {
      'start.ts': "import './one.js';\nimport './three.js';",
      'one.ts': "import './two.js';",
      'two.ts': "import './one.js';",
      'three.ts': "import './four.js';",
      'four.ts': "import './five.js';\nimport './leaf.js';",
      'five.ts': "import './three.js';\nimport './one.js';",
      'leaf.ts': '',
    };
    expect(largestCircle(sources(files))).toEqual(['five.ts', 'four.ts', 'three.ts']);
  });

  test('joins circles that share a file', () => {
    const files = {
      'a.ts': "import './b.js';\nimport './c.js';",
      'b.ts': "import './a.js';",
      'c.ts': "import './d.js';",
      'd.ts': "import './a.js';\nimport './missing.js';",
    };
    expect(largestCircle(sources(files))).toEqual(['a.ts', 'b.ts', 'c.ts', 'd.ts']);
  });

  test('does not depend on the order of the files', () => {
    const files = Object.entries({
      'a.ts': "import './b.js';",
      'b.ts': "import './c.js';\nimport './d.js';",
      'c.ts': "import './a.js';",
      'd.ts': "import './e.js';",
      'e.ts': "import './d.js';",
    });
    for (let turn = 0; turn < files.length; turn += 1) {
      const turned = new Map([...files.slice(turn), ...files.slice(0, turn)]);
      expect(largestCircle(turned)).toEqual(['a.ts', 'b.ts', 'c.ts']);
      expect(largestCircle(new Map([...turned].reverse()))).toEqual(['a.ts', 'b.ts', 'c.ts']);
    }
  });
});

test('the widest folder counts one level', () => {
  const files = { 'a/1.ts': '', 'a/2.ts': '', 'a/b/1.ts': '', 'a/b/2.ts': '', 'a/b/3.ts': '', 'c.ts': '' };
  expect(widestFolder(sources(files))).toEqual({ folder: 'a/b', files: 3 });
});

test('lines are counted per file', () => {
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.ts`, 'x\n'.repeat(index + 1)]));
  expect(fileShape(sources(files))).toEqual({ files: 10, median: 6, p90: 10, max: 10 });
});
