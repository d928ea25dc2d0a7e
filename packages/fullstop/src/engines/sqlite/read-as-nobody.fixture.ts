import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { findDriver } from './driver/driver.js';
import { sqliteEngine } from './sqlite-engine.js';

// A program of its own: reads a store as a user who may not write to it, and says what it found.

findDriver();
const nobody = 65534;
if (process.getuid?.() === 0) {
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
const codeOf = (error: unknown): string =>
  FullstopError.is(error) ? `${error.code} ${error.message}` : `not ours: ${String(error)}`;
try {
  const engine = sqliteEngine(process.argv[2] as string, { readOnly: true, thread: process.argv[3] === 'thread' });
  const { runs } = await engine.list({});
  const found = await Promise.all(
    runs.map(async ({ runId }) => {
      const { status } = await engine.verify(runId);
      return { runId, entries: (await engine.journal(runId)).length, status };
    }),
  );
  const refused = await engine.start({ runId: 'more', name: 'test', version: '1' }).then(() => 'written', codeOf);
  await engine.close();
  process.stdout.write(JSON.stringify({ found, refused }));
} catch (error) {
  process.stdout.write(JSON.stringify({ error: codeOf(error) }));
}
