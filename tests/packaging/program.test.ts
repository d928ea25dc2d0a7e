import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';

const program = join(inject('project'), 'node_modules/.bin/fullstop');
const folder = mkdtempSync(join(tmpdir(), 'fullstop-program-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]): string => execFileSync(program, args, { cwd: folder, encoding: 'utf8' });

describe('the installed program', () => {
  test('says its version', () => {
    expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('runs what init writes, and says why it ended', () => {
    run('init');
    const result = run(
      'run',
      'triage.yaml',
      '--scripted',
      'triage.script.yaml',
      '-i',
      'ticket=Where is it?',
      '--quiet',
    );
    expect(JSON.parse(result)).toMatchObject({ topic: 'delivery' });
    expect(run('why')).toContain('flow_completed · success · final · triage');
    expect(run('verify', '--all')).toBe('1 runs, 0 broken\n');
  });

  test('knows its exit codes', () => {
    expect(spawnSync(program, ['rnus'], { cwd: folder }).status).toBe(2);
  });

  test('is scripts and texts, and nothing else', () => {
    const installed = join(inject('project'), 'node_modules/@fullstop/cli');
    const parts = ['LICENSE', 'README.md', 'bin', 'dist', 'package.json'];
    expect(readdirSync(installed).sort()).toEqual(parts);
    expect(readdirSync(join(installed, 'bin'))).toEqual(['fullstop.js']);
    const files = readdirSync(join(installed, 'dist'), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const others = files
      .filter(({ name }) => !name.endsWith('.js'))
      .map(({ parentPath, name }) => join(parentPath, name));
    // The pages of the dashboard come as they are served, reports with their styles, and templates as they are written.
    const pages = ['dashboard', 'report'].map((folder) => join(installed, 'dist', folder));
    const templates = join(installed, 'dist/templates');
    const isPage = (file: string): boolean =>
      pages.some((folder) => file.startsWith(folder)) && /\.(css|html|svg)$/.test(file);
    expect(others.filter((file) => !isPage(file) && !file.startsWith(templates))).toEqual([]);
  });
});
