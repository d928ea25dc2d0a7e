// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { loadDocument } from '../load/load-document.js';
import { loadWorkflow, workflowOfRun } from '../load-workflow.js';
import { largestFile, readRegularFile } from './read-regular-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fullstop-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const including = (tag: string): string =>
  `workflow: {name: w, entry_point: a}\nagents: [{name: a, type: set, value: ${tag}}]\n`;
const isWindows = process.platform === 'win32';

describe.skipIf(isWindows)('files that are no files', () => {
  const refused = (path: string, why: string): void => {
    expect(() => readRegularFile(path)).toThrow(why);
    const file = write('w.yaml', including(`!file ${path}`));
    expect(loadDocument({ file, env: {} })).toMatchObject({
      ok: false,
      problems: [{ code: 'FILE_REFUSED', line: 2, message: expect.stringContaining(why) }],
    });
    expect(loadDocument({ file: path, env: {} })).toMatchObject({ ok: false, problems: [{ code: 'FILE_REFUSED' }] });
  };

  it('a pipe is not waited for', () => {
    execFileSync('mkfifo', [at('pipe')]);
    refused(at('pipe'), 'it is a pipe, and only regular files are read');
    symlinkSync(at('pipe'), at('link'));
    refused(at('link'), 'it is a pipe');
  });

  it.each(['/dev/zero', '/dev/stdin', '/dev/null'])('%s is not read', (path) => {
    refused(path, 'The file is not read');
  });

  it.skipIf(process.platform !== 'linux').each(['/proc/self/environ', '/proc/self/status', '/sys/kernel/notes'])(
    '%s is not read, also through a link',
    (path) => {
      refused(path, 'made up by the system');
      symlinkSync(path, at('link'));
      refused(at('link'), 'made up by the system');
    },
  );

  it('a folder and a socket are not read', async () => {
    refused(folder, 'it is a folder');
    const server = createServer().listen(at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    refused(at('socket'), 'it is a socket');
    await new Promise((resolve) => server.close(resolve));
  });

  it('a file that is too large is refused by its size, without being read', () => {
    write('large', '');
    truncateSync(at('large'), largestFile + 1);
    refused(at('large'), `it has ${largestFile + 1} bytes, and at most ${largestFile} bytes are read`);
    truncateSync(at('large'), largestFile);
    expect(readRegularFile(at('large'))).toHaveLength(largestFile);
  });

  it('many files together are refused too', () => {
    const names = Array.from({ length: 6 }, (_, index) => `part${index}`);
    for (const name of names) write(name, 'x'.repeat(9_000_000));
    const list = names.map((name) => `!file ${name}`).join(', ');
    const result = loadDocument({ file: write('w.yaml', including(`{a: [${list}]}`)), env: {} });
    expect(!result.ok && result.problems.map(({ code }) => code)).toContain('FILE_REFUSED');
  });

  it('templates and skills read no pipes either', async () => {
    execFileSync('mkfifo', [at('pipe.md')]);
    write('p.md', '{% set name = "pipe.md" %}{% include name %}');
    const file = write('w.yaml', 'workflow: {name: w, entry_point: a}\nagents: [{name: a, prompt: !file p.md}]\n');
    const { summary } = await loadWorkflow(file, { env: {}, model: scriptedModel([{ text: 'x' }]) }).run();
    expect(summary).toContain('pipe.md');
    mkdirSync(at('skill'));
    execFileSync('mkfifo', [at('skill/SKILL.md')]);
    write('w.yaml', 'workflow: {name: w, entry_point: a}\nagents: [{name: a, prompt: x, skills: [./skill]}]\n');
    const skilled = await loadWorkflow(file, { env: {}, model: scriptedModel([{ text: 'x' }]) }).run();
    expect(skilled.summary).toContain('it is a pipe');
  });
});

describe('a load that is confined', () => {
  it('reads below the folder of the file only, links followed, also for what it includes', () => {
    mkdirSync(at('flow/parts'), { recursive: true });
    write('secret.txt', 'outside');
    write('flow/parts/in.md', 'inside');
    const load = (tag: string) => loadDocument({ file: write('flow/w.yaml', including(tag)), env: {}, confine: true });
    expect(load('!file parts/in.md').ok).toBe(true);
    const refusal = { ok: false, problems: [{ code: 'FILE_REFUSED', message: expect.stringContaining('confined') }] };
    expect(load('!file ../secret.txt')).toMatchObject(refusal);
    expect(load(`!file ${at('secret.txt')}`)).toMatchObject(refusal);
    symlinkSync(at('secret.txt'), at('flow/parts/link.md'));
    expect(load('!file parts/link.md')).toMatchObject(refusal);
    symlinkSync(folder, at('flow/up'));
    expect(load('!file up/secret.txt')).toMatchObject(refusal);
    expect(loadDocument({ file: at('flow/w.yaml'), env: {} }).ok).toBe(true);
  });

  it('keeps to it while it runs, and so does a resume', async () => {
    mkdirSync(at('flow'));
    write('secret.txt', 'outside');
    symlinkSync(at('secret.txt'), at('flow/link.txt'));
    write('flow/p.md', '{% set name = "link.txt" %}{% include name %}');
    const file = write('flow/w.yaml', 'workflow: {name: w, entry_point: a}\nagents: [{name: a, prompt: !file p.md}]\n');
    const asked: string[] = [];
    const model = scriptedModel([{ text: 'x' }, { text: 'x' }], {
      onCall: ({ options }) => void asked.push(JSON.stringify(options.prompt)),
    });
    const engine = memoryEngine();
    await loadWorkflow(file, { env: {}, model }).run({}, { engine });
    expect(asked).toEqual([expect.stringContaining('outside')]);
    const confined = await loadWorkflow(file, { env: {}, model, confine: true }).run({}, { engine, runId: 'r' });
    expect(confined.summary).toContain('link.txt');
    // Whoever resumes it need not know that it was confined.
    const again = await (await workflowOfRun(engine, 'r', { env: {}, model })).resume('r', { engine });
    expect(again.summary).toContain('link.txt');
    expect(asked).toHaveLength(1);
  });

  it('has sub-workflows and modules of its folder only', () => {
    mkdirSync(at('flow'));
    write('child.yaml', including('x'));
    write('m.mjs', 'export default 1');
    const steps = [
      '{name: a, type: workflow, workflow: ../child.yaml}',
      '{name: a, type: pipeline, use: "../m.mjs#x"}',
    ];
    for (const step of steps) {
      const problems = (confine: boolean): readonly string[] => {
        const result = loadDocument({ file, env: {}, confine });
        return result.ok ? [] : result.problems.map(({ code, message }) => `${code} ${message}`);
      };
      const file = write('flow/w.yaml', `workflow: {name: w, entry_point: a}\nagents: [${step}]\n`);
      expect(problems(false)).toEqual([]);
      expect(problems(true).join()).toContain('FILE_REFUSED');
    }
  });
});

describe('problems of a file', () => {
  const key = `sk-live-${'0123456789abcdef'.repeat(10)}`;
  it('hide secrets of the environment, also where the text is cut', () => {
    const text = including('x').replace('type: set', 'type: "${SERVICE_API_KEY}"');
    const result = loadDocument({ file: '/flow/w.yaml', text, env: { SERVICE_API_KEY: key } });
    expect(result.ok).toBe(false);
    const shown = JSON.stringify(result);
    expect(shown).toContain('‹SERVICE_API_KEY›');
    expect(shown).not.toContain(key.slice(0, 16));
  });

  it('a masked document has names in the place of secrets, and other variables as they are', () => {
    const text = `${including('x')}output: {x: "\${SERVICE_API_KEY} \${OUTER} \${PLAIN}"}\n`;
    const env = { SERVICE_API_KEY: key, OUTER: `https://u:${key}@host`, PLAIN: 'plain' };
    const result = loadDocument({ file: '/flow/w.yaml', text, env, masked: true });
    expect(result.ok && result.loaded.document.output.get('x')).toBe(
      '‹SERVICE_API_KEY› https://u:‹SERVICE_API_KEY›@host plain',
    );
  });

  it('a run that is refused hides them', () => {
    const text = `workflow: {name: w, entry_point: "\${SERVICE_API_KEY}"}\nagents: [{name: a, type: set, value: x}]\n`;
    expect(() => loadWorkflow('/flow/w.yaml', { text, env: { SERVICE_API_KEY: key } })).toThrow('‹SERVICE_API_KEY›');
    expect(() => loadWorkflow('/flow/w.yaml', { text, env: { SERVICE_API_KEY: key } })).not.toThrow(key.slice(0, 16));
  });
});

it.skipIf(isWindows)('a file without permission is a problem like before', () => {
  // Root may read everything: a process of its own gives up that right first.
  const program = fileURLToPath(new URL('./load-as-nobody.fixture.ts', import.meta.url));
  const load = (): string => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program, at('w.yaml')], {
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  chmodSync(folder, 0o755);
  chmodSync(write('w.yaml', including('x')), 0o644);
  expect(load()).toBe('loaded');
  chmodSync(at('w.yaml'), 0o000);
  expect(load()).toBe('FILE_UNREADABLE');
});
