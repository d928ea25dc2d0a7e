import { expect, test } from 'vitest';
import { lintPlanted } from './plant.js';

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
const floating = 'async function wait(): Promise<void> {}\n\nexport function planted(): void {\n  wait();\n}\n';

const planted = [
  { rule: 'suspicious/noExplicitAny', text: 'export const planted: any = 1;\n' },
  { rule: 'suspicious/noConsole', text: "console.log('planted');\n" },
  { rule: 'style/noDefaultExport', text: 'export default 1;\n' },
  { rule: 'style/noNonNullAssertion', text: 'export const planted = (list: number[]): number => list[0]!;\n' },
  { rule: 'style/useImportType', text: "import { X } from './other.js';\n\nexport type Y = X[];\n" },
  { rule: 'style/useFilenamingConvention', file: 'plantedFile.ts', text: 'export const planted = 1;\n' },
  { rule: 'style/noExcessiveLinesPerFile', text: lines(401, 'planted();') },
  {
    rule: 'complexity/noExcessiveLinesPerFunction',
    text: `export function planted(): void {\n${lines(61, 'planted();')}}\n`,
  },
  { rule: 'performance/noReExportAll', text: "export * from './other.js';\n" },
  { rule: 'correctness/useImportExtensions', text: "export { planted } from './planted';\n" },
  { rule: 'nursery/noFloatingPromises', text: floating },
];

test.each(planted)('$rule is found', ({ rule, file = 'planted.ts', text }) => {
  expect(lintPlanted({ [`packages/fullstop/src/run/${file}`]: text }).rules).toContain(`lint/${rule}`);
});
