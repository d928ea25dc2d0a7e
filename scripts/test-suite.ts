import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runCommand } from './run-command.js';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The result of a suite, with every failure in words: it is repeated at the end, because the output above has scrolled by. */
export interface SuiteResult extends Counts {
  readonly failures: readonly string[];
}

/** The parts of vitest's report that are read. */
interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly message?: string;
  readonly assertionResults: readonly TestCase[];
}

interface TestCase {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages?: readonly string[];
}

/** Another way to run a suite than as a whole and with the Node of this process. */
export interface SuiteOptions {
  readonly vitest?: readonly string[];
  /** Parts of the paths of the files to run. */
  readonly files?: readonly string[];
}

/** Runs one vitest project. A suite that breaks without a failing test, or that has no tests at all, counts as one failure. */
export async function runSuite(
  project: string,
  { vitest = ['vitest'], files = [] }: SuiteOptions = {},
): Promise<SuiteResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-test-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const code = await runCommand([...vitest, 'run', '--project', project, ...files, ...reporters]);
    const report = readReport(file);
    return { ...countsOf(project, code, report), failures: (report?.testResults ?? []).flatMap(failuresOf) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function countsOf(project: string, code: number, report: VitestReport | undefined): Counts {
  const passed = report?.numPassedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  const failed = (report?.numFailedTests ?? 0) + (report?.testResults.filter(isBroken).length ?? 0);
  const empty = passed + skipped + failed === 0;
  if (empty) console.error(`${project}: no test ran`);
  return { passed, failed: failed === 0 && (empty || code !== 0) ? 1 : failed, skipped };
}

/** True for a file that failed as a whole, for example because it could not be loaded. */
function isBroken({ status, assertionResults }: TestFile): boolean {
  return status === 'failed' && assertionResults.every((test) => test.status !== 'failed');
}

function failuresOf(file: TestFile): readonly string[] {
  const path = relative(process.cwd(), file.name);
  if (isBroken(file)) return [`${path}\n${file.message ?? ''}`];
  const cases = file.assertionResults.filter((test) => test.status === 'failed');
  return cases.map((test) => [`${path} > ${test.fullName}`, ...(test.failureMessages ?? []).map(readable)].join('\n'));
}

/** The report of vitest has no better words for a test that took too long. */
function readable(message: string): string {
  return message.replace('Error: STACK_TRACE_ERROR', 'It took longer than its timeout.');
}

function readReport(file: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as VitestReport;
  } catch {
    // No report: vitest could not start, and said why.
    return undefined;
  }
}
