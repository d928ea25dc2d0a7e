import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigRefused } from './config-trust.js';
import { type ConfigQuestion, loadConfig } from './load-config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fullstop-config-'));
  mkdirSync(join(folder, 'inner'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const load = (cwd: string, named?: string, more: Partial<ConfigQuestion> = {}) => loadConfig({ cwd, named, ...more });
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('loadConfig', () => {
  it.each([
    ['fullstop.config.json', '{"store": "a.db"}'],
    ['fullstop.config.yaml', 'store: a.db\n'],
    ['fullstop.config.mjs', "export default { store: 'a.db' };\n"],
  ])('finds %s in the folder or above it', async (name, text) => {
    mkdirSync(join(folder, '.git'));
    write(name, text);
    const expected = { config: { store: 'a.db' }, file: join(folder, name) };
    expect(await load(folder)).toEqual(expected);
    expect(await load(join(folder, 'inner'))).toEqual(expected);
  });

  it('is empty where there is none', async () => {
    expect(await load(folder)).toEqual({ config: {} });
  });

  it('takes the file that is named', async () => {
    write('other.json', '{"model": "gpt-5"}');
    expect((await load(join(folder, 'inner'), '../other.json')).config).toEqual({ model: 'gpt-5' });
  });

  it('refuses a missing file, two files, and what cannot be read', async () => {
    await expect(load(folder, 'none.json')).rejects.toThrow('There is no configuration');
    write('fullstop.config.json', '{');
    await expect(load(folder)).rejects.toThrow('cannot be read');
    write('fullstop.config.yaml', 'store: a.db');
    await expect(load(folder)).rejects.toThrow('There are two configurations');
    write('other.mjs', 'export const store = 1;');
    await expect(load(folder, 'other.mjs')).rejects.toThrow('has no default export');
    write('wrong.json', '{"stor": 1}');
    await expect(load(folder, 'wrong.json')).rejects.toThrow('stor is not a setting (did you mean "store"?)');
  });
});

describe('a configuration that is a program', () => {
  const program = "globalThis.executed = true; export default { store: 'a.db' };\n";
  const executed = (): unknown => (globalThis as { executed?: boolean }).executed;
  const owner = (): number => statSync(folder).uid;
  beforeEach(() => {
    Reflect.deleteProperty(globalThis, 'executed');
  });

  it('is not looked for above the project', async () => {
    write('fullstop.config.mjs', program);
    expect(await load(join(folder, 'inner'))).toEqual({ config: {} });
    writeFileSync(join(folder, 'inner', 'package.json'), '{}');
    mkdirSync(join(folder, 'inner', 'deep'));
    expect(await load(join(folder, 'inner', 'deep'))).toEqual({ config: {} });
    expect(executed()).toBeUndefined();
    // The root of a repository counts for all packages in it; data is found anywhere above.
    mkdirSync(join(folder, '.git'));
    expect((await load(join(folder, 'inner', 'deep'))).config).toEqual({ store: 'a.db' });
    expect(executed()).toBe(true);
  });

  it.each([0o664, 0o646, 0o666])('is refused when others may write to it (%o), with what to do', async (mode) => {
    write('fullstop.config.mjs', program);
    chmodSync(join(folder, 'fullstop.config.mjs'), mode);
    const refused = load(folder);
    await expect(refused).rejects.toThrow(ConfigRefused);
    await expect(refused).rejects.toThrow(
      `others may write to it (mode ${mode.toString(8)}). Look at it, then chmod go-w `,
    );
    await expect(load(folder, 'fullstop.config.mjs')).rejects.toThrow(ConfigRefused);
    expect(executed()).toBeUndefined();
    chmodSync(join(folder, 'fullstop.config.mjs'), 0o644);
    expect((await load(folder)).config).toEqual({ store: 'a.db' });
  });

  it('is refused when it belongs to someone else', async () => {
    write('fullstop.config.mjs', program);
    await expect(load(folder, undefined, { user: owner() + 1 })).rejects.toThrow(
      `it belongs to the user ${owner()}, and you are ${owner() + 1}. Look at it, then chown ${owner() + 1}`,
    );
    expect(executed()).toBeUndefined();
  });

  it('is refused when a link leads out of the project', async () => {
    write('fullstop.config.mjs', program);
    symlinkSync(join(folder, 'fullstop.config.mjs'), join(folder, 'inner', 'fullstop.config.mjs'));
    await expect(load(join(folder, 'inner'))).rejects.toThrow('outside of the project');
    expect(executed()).toBeUndefined();
  });

  it('is never executed for commands that only read', async () => {
    write('fullstop.config.mjs', program);
    expect(await load(folder, undefined, { use: 'data' })).toEqual({ config: {} });
    await expect(load(folder, 'fullstop.config.mjs', { use: 'data' })).rejects.toThrow('executes no configuration');
    expect(await load(folder, 'fullstop.config.mjs', { use: 'none' })).toEqual({ config: {} });
    expect(executed()).toBeUndefined();
  });

  it.each([
    ['fullstop.config.json', '{"store": "a.db"}'],
    ['fullstop.config.yaml', 'store: a.db\n'],
  ])('is needed by nobody: %s may be writable and above the project', async (name, text) => {
    write(name, text);
    chmodSync(join(folder, name), 0o666);
    expect((await load(join(folder, 'inner'), undefined, { user: 12345, use: 'data' })).config).toEqual({
      store: 'a.db',
    });
  });
});
