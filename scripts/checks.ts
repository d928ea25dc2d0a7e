import { relative } from 'node:path';
import { publishedPackages, root } from './published-packages.js';
import { runCommand } from './run-command.js';

export interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

/** Checks of the built packages: unused code, package files, resolution of types, public surface, shape. */
export function packageChecks(): readonly Check[] {
  const perPackage = publishedPackages().flatMap(({ name, folder, exports }) => {
    const publint = { name: `publint ${name}`, command: ['publint', '--strict', relative(root, folder)] };
    const attw = { name: `attw ${name}`, command: ['attw', '--pack', relative(root, folder), '--profile', 'esm-only'] };
    // Nothing can be imported from a program, so its templates' types resolve nowhere.
    return exports === undefined ? [publint] : [publint, attw];
  });
  return [
    { name: 'knip', command: ['knip'] },
    ...perPackage,
    { name: 'api', command: ['tsx', 'scripts/api.ts'] },
    { name: 'shape', command: ['tsx', 'scripts/print-shape.ts'] },
  ];
}

/** Runs all checks, also after a failing one, and returns the names of those that failed. */
export async function failingChecks(checks: readonly Check[]): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, command } of checks) {
    console.log(`\n== ${name}`);
    const code = await runCommand(command);
    if (code !== 0) failed.push(name);
  }
  return failed;
}
