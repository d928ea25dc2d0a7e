import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './load-config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fullstop-config-'));
  mkdirSync(join(folder, 'inner'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

describe('loadConfig', () => {
  it.each([
    ['fullstop.config.json', '{"store": "a.db"}'],
    ['fullstop.config.yaml', 'store: a.db\n'],
    ['fullstop.config.mjs', "export default { store: 'a.db' };\n"],
  ])('finds %s in the folder or above it', async (name, text) => {
    write(name, text);
    const expected = { config: { store: 'a.db' }, file: join(folder, name) };
    expect(await loadConfig(folder, undefined)).toEqual(expected);
    expect(await loadConfig(join(folder, 'inner'), undefined)).toEqual(expected);
  });

  it('is empty where there is none', async () => {
    expect(await loadConfig(folder, undefined)).toEqual({ config: {} });
  });

  it('takes the file that is named', async () => {
    write('other.json', '{"model": "gpt-5"}');
    expect((await loadConfig(join(folder, 'inner'), '../other.json')).config).toEqual({ model: 'gpt-5' });
  });

  it('refuses a missing file, two files, and what cannot be read', async () => {
    await expect(loadConfig(folder, 'none.json')).rejects.toThrow('There is no configuration');
    write('fullstop.config.json', '{');
    await expect(loadConfig(folder, undefined)).rejects.toThrow('cannot be read');
    write('fullstop.config.yaml', 'store: a.db');
    await expect(loadConfig(folder, undefined)).rejects.toThrow('There are two configurations');
    write('other.mjs', 'export const store = 1;');
    await expect(loadConfig(folder, 'other.mjs')).rejects.toThrow('has no default export');
    write('wrong.json', '{"stor": 1}');
    await expect(loadConfig(folder, 'wrong.json')).rejects.toThrow('stor is not a setting (did you mean "store"?)');
  });
});
