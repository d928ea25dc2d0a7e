import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// `npm run demo`: workflow files from the command line, offline. It shows a success, an explicit failure, a limit that is
// raised, a gate that a person answers, and why each run ended. The model answers from a script.

const program = join(import.meta.dirname, '../packages/cli/dist/main.js');
const workflows = join(import.meta.dirname, 'workflows');
const folder = mkdtempSync(join(tmpdir(), 'fullstop-demo-'));
const file = (name: string): string => join(workflows, name);

function heading(text: string): void {
  console.log(`\n── ${text} ${'─'.repeat(Math.max(0, 90 - text.length))}\n`);
}

/** Runs the command as a person would and shows its exit code. Files are named by their paths in the repository. */
function fullstop(...words: readonly string[]): void {
  console.log(`$ fullstop ${words.map((word) => word.replace(workflows, 'examples/workflows')).join(' ')}`);
  const { status } = spawnSync(process.execPath, [program, ...words], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  console.log(`→ exit ${status}\n`);
}

heading('A success: the model writes, the flow reaches its end');
fullstop('run', file('terminate.yaml'), '--scripted', file('terminate.script.yaml'), '-i', 'document=stale');

heading('An explicit failed end: the file itself says stop, and why');
fullstop('run', file('terminate.yaml'), '-i', 'document=locked', '--run-id', 'demo-locked');
fullstop('why', 'demo-locked');

heading('A limit: nothing is lost, and with a larger one it continues');
fullstop('run', file('limits.yaml'), '--run-id', 'demo-limit');
fullstop('why', 'demo-limit');
fullstop('resume', 'demo-limit', '--max-iterations', '20');

heading('A gate: the run waits for a person, in the store and not in a process');
fullstop('run', file('human-gate.yaml'), '--run-id', 'demo-gate');
fullstop('answer', 'demo-gate', '--choose', 'approved', '--by', 'maria');

heading('Every way a file can end, before it is run');
fullstop('validate', file('terminate.yaml'), '--endings');

heading('What happened here, and that nobody changed it');
fullstop('runs');
fullstop('verify', '--all');

rmSync(folder, { recursive: true });
