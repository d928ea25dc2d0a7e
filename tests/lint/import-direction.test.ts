import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importRules } from '../../scripts/import-rules.js';
import { root } from '../../scripts/published-packages.js';
import { pages, rooms } from '../../scripts/rooms.js';
import { lintPlanted, type Verdict } from './plant.js';

const source = 'packages/fullstop/src';

/** A file, and what it must not import. */
const forbidden = [
  ['termination/planted.ts', '../run/context.js'],
  ['termination/kinds/planted.ts', '../../stop/index.js'],
  ['termination/planted.ts', 'zod'],
  ['termination/planted.ts', 'node:crypto'],
  ['termination/planted.ts', '../index.js'],
  ['dialects/planted.ts', '../run/context.js'],
  ['dialects/planted.ts', 'node:util'],
  ['stop/planted.ts', '../run/context.js'],
  ['models/planted.ts', '../agent/index.js'],
  ['models/planted.ts', 'ai'],
  ['engines/port/planted.ts', '../../run/context.js'],
  ['engines/memory/planted.ts', '../sqlite/database.js'],
  ['engines/memory/planted.ts', 'node:fs'],
  ['engines/sqlite/planted.ts', '../../run/context.js'],
  ['engines/sqlite/planted.ts', 'better-sqlite3'],
  ['run/planted.ts', '../engines/sqlite/database.js'],
  ['run/planted.ts', '../agent/index.js'],
  ['run/planted.ts', 'node:timers'],
  ['agent/planted.ts', '../pipeline/index.js'],
  ['agent/planted.ts', '../engines/memory/index.js'],
  ['pipeline/planted.ts', '../agent/index.js'],
  ['convergence/planted.ts', '../workflow/index.js'],
  ['convergence/planted.ts', 'node:crypto'],
  ['workflow/planted.ts', '../telemetry/index.js'],
  ['workflow/planted.ts', 'zod'],
  ['telemetry/planted.ts', '../agent/index.js'],
  ['telemetry/planted.ts', '../agent/machine/state.js'],
  ['workflow/graph/planted.ts', '../machine/state.js'],
  ['workflow/graph/planted.ts', '../perform/runtime.js'],
  ['testing/planted.ts', '../../../cli/src/commands/run.js'],
  ['run/planted.ts', '../../../cli/src/commands/run.js'],
  ['template/planted.ts', '../workflow/index.js'],
  ['template/evaluate/planted.ts', '../../stop/index.js'],
  ['template/planted.ts', 'node:util'],
  ['engines/port/planted.ts', '../rules/receipts.js'],
  ['engines/rules/planted.ts', '../memory/memory-engine.js'],
  ['engines/rules/planted.ts', '../sqlite/database.js'],
  ['engines/rules/planted.ts', '../../run/context.js'],
  ['engines/sqlite/core/planted.ts', '../../memory/memory-engine.js'],
  ['agent/machine/planted.ts', '../perform/model-call.js'],
  ['agent/machine/planted.ts', '../stream/agent-stream.js'],
  ['agent/machine/planted.ts', '../../run/segment/start.js'],
  ['agent/machine/planted.ts', '../../pipeline/index.js'],
  ['convergence/facts/planted.ts', '../machine/state.js'],
  ['workflow/source/planted.ts', '../schema/document.js'],
  ['index.ts', 'yaml'],
  ['engine.ts', 'libsql'],
  ['index.ts', 'node:process'],
] as const;

/** A file, and what it may import. */
const allowed = [
  ['termination/kinds/planted.ts', '../json.js'],
  ['dialects/planted.ts', '../termination/index.js'],
  ['engines/sqlite/planted.ts', '../port/index.js'],
  ['engines/sqlite/planted.ts', 'node:worker_threads'],
  ['engines/sqlite/planted.ts', 'libsql'],
  ['run/planted.ts', '../engines/port/index.js'],
  ['run/planted.ts', '../engines/memory/index.js'],
  ['agent/planted.ts', '../run/context.js'],
  ['agent/planted.ts', '../engines/port/index.js'],
  ['workflow/planted.ts', '../agent/index.js'],
  ['workflow/planted.ts', 'yaml'],
  ['workflow/planted.ts', 'node:path'],
  ['engines/rules/planted.ts', '../port/engine.js'],
  ['engines/memory/planted.ts', '../rules/receipts.js'],
  ['engines/sqlite/core/planted.ts', '../../rules/receipts.js'],
  ['agent/machine/planted.ts', '../options/goal.js'],
  ['agent/machine/planted.ts', '../../run/machine/machine.js'],
  ['agent/perform/planted.ts', '../machine/state.js'],
  ['workflow/planted.ts', '../template/parse.js'],
  ['workflow/steps/planted.ts', '../perform/runtime.js'],
  ['telemetry/planted.ts', '@opentelemetry/api'],
  ['telemetry/planted.ts', '../dialects/index.js'],
  ['telemetry/spans/planted.ts', '../../agent/machine/agent-key.js'],
  ['testing/planted.ts', '../workflow/index.js'],
  ['index.ts', './termination/index.js'],
  ['termination/planted.test.ts', 'node:crypto'],
] as const;

const lint = (file: string, text: string): Verdict => lintPlanted({ [`${source}/${file}`]: `${text}\n` });

describe('import direction', () => {
  test.each(forbidden)('%s must not import %s', (file, specifier) => {
    const { exitCode, rules } = lint(file, `export { planted } from '${specifier}';`);
    expect(exitCode).toBe(1);
    expect(rules).toContain('lint/style/noRestrictedImports');
  });

  test.each(allowed)('%s may import %s', (file, specifier) => {
    const { rules } = lint(file, `export { planted } from '${specifier}';`);
    expect(rules).not.toContain('lint/style/noRestrictedImports');
  });

  test.each([
    "import { planted } from '../run/context.js';",
    "import type { Planted } from '../run/context.js';",
    "import * as planted from '../run/context.js';",
    "import '../run/context.js';",
    "export type { Planted } from '../run/context.js';",
    "const planted = await import('../run/context.js');",
  ])('is kept for every form: %s', (text) => {
    expect(lint('stop/planted.ts', text).rules).toContain('lint/style/noRestrictedImports');
  });

  test.each([
    ['run/planted.ts', '../../../cli/src/dashboard/reads/record-reader.js'],
    ['run/tabs/planted.tsx', '../../../../cli/src/commands/run/run.js'],
    ['run/planted.ts', '../../../fullstop/src/run/context.js'],
    ['run/planted.ts', 'fullstop'],
    ['run/planted.ts', 'node:fs'],
  ])('a page, %s, must not import %s', (file, specifier) => {
    const { rules } = lintPlanted({ [`${pages.folder}/${file}`]: `export { planted } from '${specifier}';\n` });
    expect(rules).toContain('lint/style/noRestrictedImports');
  });

  test('a page may import what is named for pages', () => {
    const lines = pages.imports.map(
      (path, at) => `export * as p${at} from '../../../${path.replace('**', 'planted.js')}';`,
    );
    const { rules } = lintPlanted({ [`${pages.folder}/run/planted.ts`]: `${lines.join('\n')}\n` });
    expect(rules).not.toContain('lint/style/noRestrictedImports');
  });

  test('names no file for pages that no page imports', () => {
    const files = readdirSync(join(root, pages.folder), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file));
    const text = sources.map((file) => readFileSync(join(root, pages.folder, file), 'utf8')).join('\n');
    expect(pages.imports.filter((path) => !text.includes(`/${path.replace('**', '')}`))).toEqual([]);
  });

  test('has a rule for every room', () => {
    const folders = readdirSync(join(root, source), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(rooms.map(({ folder }) => folder).sort());
  });

  test('is what the table of rooms says', () => {
    const written: unknown = JSON.parse(readFileSync(join(root, 'biome.imports.json'), 'utf8'));
    expect(written, 'npm run rooms').toEqual(importRules());
  });
});

test('a cycle of imports is found', () => {
  const { rules } = lintPlanted({
    [`${source}/run/first.ts`]:
      "import { second } from './second.js';\n\nexport const first = (): number => second();\n",
    [`${source}/run/second.ts`]:
      "import { first } from './first.js';\n\nexport const second = (): number => first();\n",
  });
  expect(rules).toContain('lint/suspicious/noImportCycles');
});

test('a cycle of types only is fine', () => {
  const { rules } = lintPlanted({
    [`${source}/run/first.ts`]:
      "import type { Second } from './second.js';\n\nexport interface First {\n  second: Second;\n}\n",
    [`${source}/run/second.ts`]:
      "import type { First } from './first.js';\n\nexport interface Second {\n  first: First;\n}\n",
  });
  expect(rules).toEqual([]);
});
