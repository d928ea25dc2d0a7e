import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SqliteEngine, sqliteEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import { type Answers, answerTo, askAll, trueAnswers } from './answers.js';
import { adding, makeSample, readyRuns } from './sample-store.js';

// Makes a sample store and ends or dies, or does what readers and workers do with copies of it in which a bit is flipped.

/** One flipped bit. */
export interface Flip {
  readonly file: '' | '-wal';
  readonly byte: number;
  readonly bit: number;
}

/** The consequence of a flip. `silent` is a wrong answer without any warning, `stuck` a healthy run that did not end. */
export interface FlipOutcome {
  readonly flip: Flip;
  readonly result: 'unchanged' | 'refused' | 'noticed' | 'silent' | 'stuck' | 'defect';
  readonly details?: string;
}

const [mode, sample = '', work = '', plan = '[]'] = process.argv.slice(2);
const say = (message: unknown): void => {
  writeFileSync(1, `${JSON.stringify(message)}\n`);
};

interface Truth {
  readonly runIds: readonly string[];
  readonly answers: Answers;
}

async function tryFlip(flip: Flip, truth: Truth): Promise<FlipOutcome> {
  const folder = join(work, `${flip.file}${flip.byte}-${flip.bit}`);
  mkdirSync(folder);
  const file = join(folder, 'runs.db');
  for (const end of ['', '-wal']) if (existsSync(sample + end)) copyFileSync(sample + end, file + end);
  const bytes = readFileSync(file + flip.file);
  bytes[flip.byte] = (bytes[flip.byte] as number) ^ (1 << flip.bit);
  writeFileSync(file + flip.file, bytes);
  const outcome = await outcomeOf(file, truth);
  rmSync(folder, { recursive: true, force: true });
  return { flip, ...outcome };
}

async function outcomeOf(file: string, truth: Truth): Promise<Omit<FlipOutcome, 'flip'>> {
  let engine: SqliteEngine;
  try {
    engine = sqliteEngine(file, { pollMs: 10 });
  } catch (error) {
    const answer = await answerTo(() => Promise.reject(error));
    if (!('refused' in answer)) return { result: 'defect', details: `open: ${JSON.stringify(answer)}` };
    return String(error).includes('last commits cannot be read') ? reopened(file) : { result: 'refused' };
  }
  const reading = await compare(engine, await askAll(engine, truth.runIds), truth.answers);
  const isSound = reading.result === 'unchanged' || reading.result === 'noticed';
  const working = isSound ? await letWork(engine) : undefined;
  await engine.close();
  return working ?? reading;
}

/** Damage in the log is said once; then the store continues from what is left, and all of that is whole. */
async function reopened(file: string): Promise<Omit<FlipOutcome, 'flip'>> {
  const engine = sqliteEngine(file);
  for (const { runId } of (await engine.list({ limit: 1000 })).runs) {
    const verdict = await engine.verify(runId);
    if (verdict.status !== 'consistent')
      return { result: 'silent', details: `${runId} after lost commits: ${JSON.stringify(verdict)}` };
  }
  await engine.close();
  return { result: 'refused' };
}

async function compare(engine: SqliteEngine, given: Answers, right: Answers): Promise<Omit<FlipOutcome, 'flip'>> {
  const questions = Object.keys(right);
  const defect = questions.find((question) => 'defect' in (given[question] ?? {}));
  if (defect !== undefined) return { result: 'defect', details: `${defect}: ${JSON.stringify(given[defect])}` };
  const warned = questions.filter((question) => !('value' in (given[question] ?? {})));
  const wrong = questions.filter((question) => {
    const [answer, truth] = [given[question], right[question]];
    return (
      answer !== undefined &&
      truth !== undefined &&
      'value' in answer &&
      'value' in truth &&
      answer.value !== truth.value
    );
  });
  // A run has been warned of when any question about it is; a list, when anything is.
  const unwarned = wrong.filter((question) => {
    const [, runId] = question.split(' ');
    return !warned.some((each) => runId === undefined || each.endsWith(` ${runId}`));
  });
  if (unwarned.length > 0 && (await isFileSound(engine)))
    return { result: 'silent', details: unwarned.map((question) => difference(question, given, right)).join('; ') };
  return { result: warned.length + wrong.length === 0 ? 'unchanged' : 'noticed' };
}

function difference(question: string, given: Answers, right: Answers): string {
  const [one, other] = [given, right].map((answers) => JSON.stringify(answers[question]) ?? '') as [string, string];
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return `${question}: ${one.slice(Math.max(0, at - 40), at + 40)} instead of ${other.slice(Math.max(0, at - 40), at + 40)}`;
}

async function isFileSound(engine: SqliteEngine): Promise<boolean> {
  const answer = await answerTo(async () => (await engine.check()).length);
  return 'value' in answer && answer.value === '0';
}

/** A net for what would never end; far above what a busy machine needs. */
const mostLooks = 400;

/** Runs that are healthy end, whatever is wrong with others. Undefined when all is well. */
async function letWork(engine: SqliteEngine): Promise<Omit<FlipOutcome, 'flip'> | undefined> {
  const worker = engine.worker([adding]);
  try {
    return await watchRuns(engine);
  } finally {
    await worker.stop(0);
  }
}

async function watchRuns(engine: SqliteEngine): Promise<Omit<FlipOutcome, 'flip'> | undefined> {
  let open = readyRuns;
  for (let look = 0; look < mostLooks; look += 1) {
    const states = await Promise.all(open.map((runId) => stateOf(engine, runId)));
    const wrong = open.find((_, index) => states[index] === 'wrong');
    if (wrong !== undefined) return { result: 'silent', details: `${wrong} ended with another sum` };
    open = open.filter((_, index) => states[index] === 'open');
    if (open.length === 0) return undefined;
    if (look % 50 === 49 && !(await isFileSound(engine))) return undefined;
    await sleep(20);
  }
  return { result: 'stuck', details: open.join(', ') };
}

async function stateOf(engine: SqliteEngine, runId: string): Promise<'open' | 'right' | 'warned' | 'wrong'> {
  const answer = await answerTo(async () => (await engine.ending(runId))?.output ?? null);
  if (!('value' in answer)) return 'warned';
  if (answer.value !== 'null') {
    const sum = 3 * readyRuns.indexOf(runId) + 3;
    return answer.value === JSON.stringify({ sum }) ? 'right' : 'wrong';
  }
  return 'value' in (await answerTo(() => engine.verify(runId))) ? 'open' : 'warned';
}

async function main(): Promise<void> {
  if (mode === 'close') await (await makeSample(sample)).close();
  else if (mode === 'die') {
    await makeSample(sample);
    process.kill(process.pid, 'SIGKILL');
  } else if (mode === 'truth') say(await trueAnswers(sample));
  else {
    const truth = JSON.parse(readFileSync(join(work, 'truth.json'), 'utf8')) as Truth;
    for (const flip of JSON.parse(plan) as readonly Flip[]) {
      say({ begun: flip });
      say({ ended: await tryFlip(flip, truth) });
    }
  }
}

// Runs that sleep would keep it alive.
await main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
