import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/published-packages.js';

export interface Verdict {
  readonly exitCode: number | null;
  /** The rules that were broken, such as `lint/style/noRestrictedImports`. */
  readonly rules: readonly string[];
}

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly severity: string }[];
}

/** Lints files with the repository's rules in a folder of their own, so that nothing is planted in the repository. */
export function lintPlanted(files: Readonly<Record<string, string>>): Verdict {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-lint-'));
  try {
    const settings = [
      'biome.json',
      'biome.imports.json',
      '.gitignore',
      'package.json',
      'packages/fullstop/package.json',
    ];
    for (const file of settings) cpSync(join(root, file), join(folder, file));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const args = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', ...Object.keys(files)];
    const { status, stdout, stderr } = spawnSync('node', args, { cwd: folder, encoding: 'utf8' });
    if (!stdout.startsWith('{')) throw new Error(`biome gave no report:\n${stdout}${stderr}`);
    return { exitCode: status, rules: rulesIn(JSON.parse(stdout) as Report) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rulesIn({ diagnostics }: Report): readonly string[] {
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ category }) => category);
}
