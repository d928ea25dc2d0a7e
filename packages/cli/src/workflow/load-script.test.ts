import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

const folder = mkdtempSync(join(tmpdir(), 'script-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(name: string, text: string) {
  writeFileSync(join(folder, name), text);
  return loadScript(folder, name);
}

describe('loadScript', () => {
  it('reads YAML and JSON', async () => {
    const answers = { writer: [{ text: 'hello' }] };
    expect(await load('a.yaml', 'answers:\n  writer:\n    - text: hello\n')).toEqual({ answers });
    expect(await load('a.json', JSON.stringify({ answers }))).toEqual({ answers });
  });

  it('names the line and column of a wrong word, and what was meant', async () => {
    const wrong = load('b.yaml', 'answers:\n  writer:\n    - text: hello\n    - txet: bye\n');
    await expect(wrong).rejects.toMatchObject({ name: 'UsageError' });
    await expect(wrong).rejects.toThrow(
      /^The script b\.yaml cannot be used:\nb\.yaml:4:7: answers\.writer\[1\]\.txet: .*did you mean "text"/,
    );
  });

  it('names those of a wrong value in JSON, under a key with the signs of a path', async () => {
    const wrong = load('c.json', '{"answers": {\n  "a.b[0]": [\n    {"error": "lenght"}\n  ]\n}}');
    await expect(wrong).rejects.toThrow(/c\.json:3:6: answers\.a\.b\[0\]\[0\]\.error: .*did you mean "length"/);
  });

  it('names the value around what is missing', async () => {
    await expect(load('d.yaml', '# empty\nexhausted: error\n')).rejects.toThrow(/d\.yaml:2:1: answers: missing/);
  });

  it('says which file is not there, or is no YAML', async () => {
    await expect(loadScript(folder, 'none.yaml')).rejects.toThrow('none.yaml cannot be read: there is no such file');
    await expect(load('e.yaml', 'answers: [')).rejects.toThrow('The script e.yaml cannot be read');
  });
});
