/** `npm test`: everything, in order, continuing after a failure, and ending with one line of totals. */
import { failingChecks, packageChecks } from './checks.js';
import { runSuite } from './test-suite.js';

const checks = [
  { name: 'lint', command: ['biome', 'ci', '.'] },
  { name: 'types', command: ['tsc', '-b'] },
  { name: 'bundle', command: ['tsx', 'scripts/bundle.ts'] },
  ...packageChecks(),
];
const suites = [
  'unit',
  'types',
  'models',
  'adapters',
  'parity',
  'conformance',
  'chaos',
  'attack',
  'lint',
  'examples',
  'e2e',
  'browser',
  'packaging',
  'walks',
];

const failedChecks = await failingChecks(checks);
const broken = failedChecks.map((name) => `check ${name}`);
const failures: string[] = [];
let passed = checks.length - failedChecks.length;
let failed = failedChecks.length;
let skipped = 0;
for (const suite of suites) {
  console.log(`\n== tests: ${suite}`);
  const result = await runSuite(suite);
  passed += result.passed;
  failed += result.failed;
  skipped += result.skipped;
  if (result.failed > 0) broken.push(`tests ${suite}`);
  failures.push(...result.failures);
}

for (const failure of failures) console.log(`\nFAILED ${failure}`);
console.log(broken.length === 0 ? '' : `\nFailing: ${broken.join(', ')}\n`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
