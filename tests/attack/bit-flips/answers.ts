import { type SqliteEngine, sqliteEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';

/** An answer of a store: a value as JSON, a refusal with the code of its error, or a value that is marked as damaged. */
export type Answer =
  | { readonly value: string }
  | { readonly refused: string }
  | { readonly marked: true }
  /** An error that has no code of ours: nobody could act on it. */
  | { readonly defect: string };

/** Everything that readers ask a store, by the question. */
export type Answers = Readonly<Record<string, Answer>>;

/** Asks everything about the given runs. */
export async function askAll(engine: SqliteEngine, runIds: readonly string[]): Promise<Answers> {
  const answers: Record<string, Answer> = {};
  const ask = async (question: string, act: () => Promise<unknown>): Promise<void> => {
    answers[question] = await answerTo(act);
  };
  await ask('list', async () => (await engine.list({ limit: 1000 })).runs.map(withoutWorker));
  await ask('notices', async () => (await engine.dueNotices()).map(({ id, payload }) => [id, payload]));
  await ask('tally', () => engine.tally());
  for (const runId of runIds) {
    await ask(`summary ${runId}`, async () => withoutWorker((await engine.summary(runId)) ?? null));
    await ask(`journal ${runId}`, () => engine.journal(runId));
    await ask(`ending ${runId}`, async () => (await engine.ending(runId)) ?? null);
    await ask(`requests ${runId}`, () => engine.openRequests(runId));
    await ask(`verify ${runId}`, () => engine.verify(runId));
  }
  return answers;
}

/** Who had a run last is in no entry, and nothing is decided by it; nor is the instant of the question part of the answer. */
function withoutWorker(run: object | null): unknown {
  if (run === null) return null;
  const { worker: _worker, orphaned: _orphaned, ...rest } = run as Record<string, unknown>;
  return rest;
}

export async function answerTo(act: () => Promise<unknown>): Promise<Answer> {
  try {
    const value = await act();
    const text = JSON.stringify(value);
    return /"damage":\{|"status":"broken"/.test(text) ? { marked: true } : { value: text };
  } catch (error) {
    const { code, name, message } = error as { readonly code?: unknown; readonly name?: unknown; message?: unknown };
    if (name === 'FullstopError' && typeof code === 'string' && code.startsWith('STORE_')) return { refused: code };
    return { defect: `${String(name)} ${String(code)}: ${String(message)}` };
  }
}

/** The right answers, from a store that is whole. */
export async function trueAnswers(
  file: string,
): Promise<{ readonly runIds: readonly string[]; readonly answers: Answers }> {
  const engine = sqliteEngine(file);
  const { runs } = await engine.list({ limit: 1000 });
  const runIds = runs.map(({ runId }) => runId);
  const answers = await askAll(engine, runIds);
  await engine.close();
  return { runIds, answers };
}
