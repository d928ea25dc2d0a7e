import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { frame, log } from '../../../packages/fullstop/src/engines/sqlite/core/file/log-format.js';
import { seededRandom } from '../../../packages/fullstop/src/testing/seeded-random.js';
import { buildWorker } from '../../chaos/build-worker.js';
import type { Attack, AttackOptions, AttackResult } from '../attack.js';
import type { Flip, FlipOutcome } from './flip-program.js';

/** Flips that one process tries; when it is aborted, another continues after the one that did it. */
const flipsOfProcess = 25;
/** The place in the header of a log of how large its pages are. */
const pageBytesAt = 8;

/** Flips single bits in the file and the log of a store: no process is aborted, and no answer is wrong without a warning. */
export const bitFlips: Attack = {
  name: 'bit-flips',
  of: 'flips',
  short: 50,
  long: 1000,
  perform,
};

async function perform({ seed, count, onProgress }: AttackOptions): Promise<AttackResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-attack-'));
  const script = await buildWorker('tests/attack/bit-flips/flip-program.ts');
  const random = seededRandom(seed);
  const counts = { flips: 0, unchanged: 0, refused: 0, noticed: 0, silent: 0, stuck: 0, defect: 0, aborted: 0 };
  const failures: string[] = [];
  try {
    const samples = ['close', 'die'].map((how) => makeSample(script, folder, how));
    while (counts.flips < count) {
      const sample = samples[counts.flips % (2 * flipsOfProcess) < flipsOfProcess ? 0 : 1] as Sample;
      const plan = Array.from({ length: Math.min(flipsOfProcess, count - counts.flips) }, () =>
        drawFlip(sample, random),
      );
      for (const { flip, result, details } of await tryFlips(script, sample, plan)) {
        counts.flips += 1;
        counts[result] += 1;
        if (result !== 'unchanged' && result !== 'refused' && result !== 'noticed')
          failures.push(
            `seed ${seed}, ${sample.how}, bit ${flip.bit} of byte ${flip.byte} of the file${flip.file}: ${result}, ${details ?? ''}`,
          );
      }
      onProgress?.(counts.flips);
    }
    return { counts, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Sample {
  readonly how: string;
  readonly file: string;
  readonly folder: string;
  readonly bytes: Readonly<Record<Flip['file'], Buffer>>;
}

/** A store that was closed in good order, or that of a process that was killed. */
function makeSample(script: string, parent: string, how: string): Sample {
  const folder = mkdtempSync(join(parent, how));
  const file = join(folder, 'runs.db');
  spawnSync(process.execPath, [script, how, file], { stdio: 'inherit' });
  const bytes = { '': readFileSync(file), '-wal': how === 'die' ? readFileSync(`${file}-wal`) : Buffer.alloc(0) };
  // Looked at in a copy: whoever opens the store of a killed process changes it.
  const copy = join(mkdtempSync(join(parent, 'truth')), 'runs.db');
  for (const end of ['', '-wal'] as const) if (bytes[end].length > 0) writeFileSync(copy + end, bytes[end]);
  const truth = spawnSync(process.execPath, [script, 'truth', copy], { encoding: 'utf8', maxBuffer: 1e9 });
  writeFileSync(join(folder, 'truth.json'), truth.stdout);
  return { how, file, folder, bytes };
}

/** Any bit that can be missed, but rarely one of the many bytes that hold nothing. */
function drawFlip({ bytes }: Sample, random: () => number): Flip {
  const file = bytes['-wal'].length > 0 && random() < 0.5 ? '-wal' : '';
  const length = file === '' ? bytes[file].length : lastCommitOf(bytes[file]);
  const anywhere = random() < 0.1;
  for (;;) {
    const byte = Math.floor(random() * length);
    if (anywhere || bytes[file][byte] !== 0) return { file, byte, bit: Math.floor(random() * 8) };
  }
}

/** The place in a log at which its last commit begins; damage to that one looks like a writer that was killed (decision 58). */
function lastCommitOf(bytes: Buffer): number {
  const frameBytes = frame.headerBytes + bytes.readUInt32BE(pageBytesAt);
  const salts = bytes.subarray(log.salts, log.salts + 8);
  const ends: number[] = [log.headerBytes];
  for (let place = log.headerBytes; place + frameBytes <= bytes.length; place += frameBytes) {
    if (!bytes.subarray(place + frame.salts, place + frame.salts + 8).equals(salts)) break;
    if (bytes.readUInt32BE(place + frame.pagesAfterCommit) !== 0) ends.push(place + frameBytes);
  }
  return ends.at(-2) ?? bytes.length;
}

type Tried = Omit<FlipOutcome, 'result'> & { readonly result: FlipOutcome['result'] | 'aborted' };

async function tryFlips(script: string, { file, folder }: Sample, plan: readonly Flip[]): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  while (tried.length < plan.length) {
    const left = plan.slice(tried.length);
    const child = spawn(process.execPath, [script, 'flips', file, folder, JSON.stringify(left)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcomes = await outcomesOf(child);
    tried.push(...outcomes.ended);
    if (outcomes.died !== undefined && tried.length < plan.length)
      tried.push({ flip: plan[tried.length] as Flip, result: 'aborted', details: outcomes.died });
  }
  return tried;
}

async function outcomesOf(
  child: ChildProcess,
): Promise<{ readonly ended: readonly FlipOutcome[]; readonly died: string | undefined }> {
  const ended: FlipOutcome[] = [];
  let complaint = '';
  child.stderr?.on('data', (text: Buffer) => {
    complaint = (complaint + String(text)).slice(-2000);
  });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const message = JSON.parse(line) as { readonly ended?: FlipOutcome };
    if (message.ended !== undefined) ended.push(message.ended);
  });
  const [code, signal] = await new Promise<readonly [number | null, string | null]>((resolve) => {
    child.on('close', (...exit) => resolve(exit));
  });
  return { ended, died: code === 0 ? undefined : `exit ${code ?? signal}: ${complaint}` };
}
