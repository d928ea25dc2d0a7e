import { sqliteEngine } from '../../engines/sqlite/sqlite-engine.js';
import { deliverNotices } from './deliver.js';

// A program of its own, for tests with several processes: delivers to one webhook until it is killed.

const [file = '', url = '', timeoutMs = ''] = process.argv.slice(2);
const engine = sqliteEngine(file);
const targets = { ops: { url, timeoutMs: Number(timeoutMs) } };
const delivery = deliverNotices(engine, { targets, concurrency: 3, pollMs: 5 });
delivery.start();
for (;;) {
  if ((await engine.dueNotices()).length === 0) process.stdout.write('idle\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
}
