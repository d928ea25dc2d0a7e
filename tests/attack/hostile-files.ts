// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { binary } from '../e2e/binary.js';
import type { Attack, AttackOptions, AttackResult } from './attack.js';

const key = 'sk-live-0123456789abcdef/+?&"';
/** The value as it is and encoded: none of these may be seen. */
const secretForms = [
  key,
  'sk-live-0123456789abcdef',
  Buffer.from(key).toString('base64').slice(0, -4),
  Buffer.from(`x${key}`).toString('base64').slice(4, -4),
  Buffer.from(`xy${key}`).toString('base64').slice(4, -4),
  Buffer.from(key).toString('hex'),
  encodeURIComponent(key),
];
const obeyed = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u;
const command = /^\s*::|##(?:vso|teamcity)?\[/im;
const exitCodes: ReadonlySet<number | null> = new Set([0, 1, 2, 3, 4, 5]);
/** Only what would never end takes so long. */
const patienceMs = 120_000;

/** Texts that a terminal, a job log or a careless reader would obey. */
const texts: readonly string[] = [
  '\\e[2J\\e[H',
  '\\e]0;title\\a',
  '\\u202Egnp.exe',
  'ok\\rFAILED',
  '\\n::set-output name=x::y\\n',
  '\\n::add-mask::x\\n',
  '##vso[task.setvariable variable=x]y',
  '##[error]x',
  '\\x9b31m',
  '${SERVICE_API_KEY}',
  'https://u:${SERVICE_API_KEY}@host',
  '{{ workflow.input.missing }}',
  'plain',
];

/** Things to include, most of which are no files. */
const includes: readonly string[] = [
  'pipe',
  'zero',
  'environ',
  'folder',
  'large',
  'loop',
  '../outside.txt',
  'gone',
  'self.yaml',
];

const commands: readonly (readonly string[])[] = [
  ['validate'],
  ['validate', '--endings', '--json'],
  ['validate', '--confine', '--lenient'],
  ['graph'],
  ['graph', '--text'],
  ['run', '--dry-run'],
  ['run', '--dry-run', '--json'],
  ['run', '--lenient', '--no-input'],
  ['run', '--confine', '--no-input', '--json'],
];

interface Attempt {
  readonly folder: string;
  readonly args: readonly string[];
  /** The configuration is one that must not be executed. */
  readonly isConfigUntrusted: boolean;
}

/** Workflow files that are up to no good, handed to every command that reads files: it says what is wrong, and obeys nothing. */
export const hostileFiles: Attack = {
  name: 'hostile-files',
  of: 'files',
  short: 24,
  long: 150,
  perform,
};

async function perform({ seed, count, onProgress }: AttackOptions): Promise<AttackResult> {
  const random = seededRandom(seed);
  const failures: string[] = [];
  const counts: Record<string, number> = { cases: 0 };
  for (let done = 0; done < count; done += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-hostile-'));
    try {
      const attempt = prepare(folder, random);
      const { code, shown } = await run(attempt);
      counts['cases'] = (counts['cases'] ?? 0) + 1;
      counts[`exit ${code}`] = (counts[`exit ${code}`] ?? 0) + 1;
      for (const broken of brokenPromises(attempt, code, shown))
        failures.push(`seed ${seed}, case ${done}: ${attempt.args.join(' ')}: ${broken}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    onProgress?.(done + 1);
  }
  return { counts, failures };
}

type Random = () => number;

function prepare(folder: string, random: Random): Attempt {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const flow = join(folder, 'flow');
  mkdirSync(join(flow, 'folder'), { recursive: true });
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  writeFileSync(join(flow, 'large'), 'x'.repeat(10_000_001));
  execFileSync('mkfifo', [join(flow, 'pipe')]);
  symlinkSync('/dev/zero', join(flow, 'zero'));
  symlinkSync('/proc/self/environ', join(flow, 'environ'));
  symlinkSync('loop', join(flow, 'loop'));
  const name = pick([
    'w.yaml',
    'w.yaml',
    'w.yaml',
    'w.yaml',
    'w.yaml',
    'w.yaml',
    '\u001b[2Jw.yaml',
    '::error::w.yaml',
    'pipe',
    'environ',
    'zero',
  ]);
  if (name.endsWith('.yaml')) writeFileSync(join(flow, name), workflowText(pick, random));
  writeFileSync(join(flow, 'self.yaml'), 'a: !file self.yaml');
  const args = pick(commands);
  const config = join(flow, 'fullstop.config.mjs');
  const mode = pick([undefined, undefined, 0o600, 0o664, 0o666]);
  const isUntrusted = mode !== 0o600 || args[0] === 'validate';
  if (mode === undefined) return { folder: flow, args: [...args, name], isConfigUntrusted: isUntrusted };
  writeFileSync(config, "import { writeFileSync } from 'node:fs'; writeFileSync('executed', ''); export default {};\n");
  chmodSync(config, mode);
  return { folder: flow, args: [...args, name], isConfigUntrusted: isUntrusted };
}

function workflowText(pick: <T>(list: readonly T[]) => T, random: Random): string {
  const quoted = (): string => `"${pick(texts)}${pick(texts)}"`;
  const seldom = (usual: string): string => (random() < 0.1 ? quoted() : usual);
  const value = (): string => (random() < 0.1 ? `!file ${pick(includes)}` : quoted());
  const steps = [
    `{name: a, type: set, value: ${value()}, routes: [{to: ${seldom('b')}}]}`,
    `{name: b, type: script, command: printf, args: ["%s", ${value()}], routes: [{to: c}]}`,
    `{name: c, type: terminate, status: ${seldom(pick(['success', 'failed']))}, reason: ${quoted()}}`,
  ];
  return [
    `workflow: {name: ${pick(['w', quoted()])}, entry_point: ${seldom('a')}, description: ${value()}}`,
    `agents: [${steps.join(', ')}]`,
    `output: {x: ${quoted()}, y: "{{ b.output.stdout }}"}`,
    ...(random() < 0.1 ? [`${pick(['extra', quoted()])}: 1`] : []),
    '',
  ].join('\n');
}

async function run({ folder, args }: Attempt): Promise<{ readonly code: number | null; readonly shown: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SERVICE_API_KEY: key, UNNAMED_TOKEN: `${key}-other` };
  const child = spawn(process.execPath, [binary, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, shown: Buffer.concat(chunks).toString() };
}

function brokenPromises(attempt: Attempt, code: number | null, shown: string): readonly string[] {
  const control = obeyed.exec(shown);
  const order = command.exec(shown);
  const secret = secretForms.find((form) => shown.includes(form));
  return [
    ...(exitCodes.has(code) ? [] : [`ended with ${code}`]),
    ...(/internal error/.test(shown) ? [`is a defect: ${shown.slice(0, 500)}`] : []),
    ...(control === null
      ? []
      : [`shows ${JSON.stringify(shown.slice(Math.max(0, control.index - 60), control.index + 60))}`]),
    ...(order === null ? [] : [`commands the job: ${JSON.stringify(shown.slice(order.index, order.index + 100))}`]),
    ...(secret === undefined ? [] : [`shows a secret as ${secret}`]),
    ...(attempt.isConfigUntrusted && existsSync(join(attempt.folder, 'executed'))
      ? ['executed the configuration']
      : []),
  ];
}
