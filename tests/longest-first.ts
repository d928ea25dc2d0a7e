import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = join(import.meta.dirname, '..');

/** The files that take longest, in the order in which they begin. One that begins last leaves a core idle until it ends. */
const longest = [
  'tests/chaos/chaos.test.ts',
  'tests/conformance/sqlite.test.ts',
  'tests/conformance/postgres.test.ts',
  'tests/packaging/consumer.test.ts',
  'packages/cli/src/advice/program-commands.test.ts',
  'tests/chaos/server-chaos.test.ts',
  'tests/e2e/signals.test.ts',
  'tests/examples/code-blocks.test.ts',
  'tests/conformance/dbos.test.ts',
  'tests/browser/chat.test.ts',
  'tests/chaos/agent-chaos.test.ts',
  'tests/e2e/operate.test.ts',
  'tests/postgres/fail-over.test.ts',
  'tests/examples/back-end.test.ts',
  'tests/e2e/again.test.ts',
  'packages/fullstop/src/engines/sqlite/file.test.ts',
  'tests/e2e/detach.test.ts',
  'tests/lint/import-direction.test.ts',
  'packages/fullstop/src/engines/sqlite/processes.test.ts',
  'tests/e2e/postgres.test.ts',
];

/** Begins with the longest files; the others follow as Vitest sorts them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = longest.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`tests/longest-first.ts names files that are not there: ${missing}`);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const index = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
