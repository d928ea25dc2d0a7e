import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'examples/workflows');
const binary = join(root, 'packages/cli/dist/main.js');
const stores = mkdtempSync(join(tmpdir(), 'fullstop-examples-'));

interface ExampleRun {
  readonly example: string;
  readonly scripted?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly skipGates?: boolean;
  readonly ending: { readonly kind: string; readonly status?: string };
  readonly output?: unknown;
}

interface Ended {
  readonly code: number | null;
  readonly envelope: { readonly termination: unknown; readonly output?: unknown };
}

const runs = JSON.parse(readFileSync(join(folder, 'runs.json'), 'utf8')) as readonly ExampleRun[];
const exitCodes: Readonly<Record<string, number>> = { cost_budget: 3, gate_pending: 5, max_iterations: 3 };

function exitCodeOf({ kind, status }: ExampleRun['ending']): number {
  return status === 'failed' ? 1 : (exitCodes[kind] ?? 0);
}

/** Runs an example as its reader would, with a store of its own. */
async function ended(run: ExampleRun, index: number): Promise<Ended> {
  const inputs = Object.entries(run.inputs).flatMap(([name, value]) => [
    '-i',
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
  const args = [
    ...['run', run.example, '--json', '--quiet', '--no-input', '--store', join(stores, `${index}.db`)],
    ...(run.scripted === undefined ? [] : ['--scripted', run.scripted]),
    ...(run.skipGates === true ? ['--skip-gates'] : []),
    ...inputs,
  ];
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | null>((done) => child.on('close', done));
  const [code, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  if (stdout === '') throw new Error(`${run.example} gave exit ${code} and no ending: ${stderr}`);
  return { code, envelope: JSON.parse(stdout) as Ended['envelope'] };
}

describe('the example workflows, from the command line', { concurrent: true }, () => {
  afterAll(() => rmSync(stores, { recursive: true }));

  it.each(runs.map((run, index) => ({ ...run, index })))(
    '$example with $inputs ends as $ending.kind',
    async ({ index, ...run }) => {
      const { code, envelope } = await ended(run, index);
      expect(envelope.termination).toMatchObject(run.ending);
      if (run.output !== undefined) expect(envelope.output).toEqual(run.output);
      expect(code).toBe(exitCodeOf(run.ending));
    },
  );

  it('are all run', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.script.yaml'));
    expect(new Set(runs.map(({ example }) => example))).toEqual(new Set(files));
  });
});
