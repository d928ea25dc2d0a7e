import pg from 'pg';
import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';

// A program of its own: a worker that kills itself as soon as it has sent a statement with these words, so many times, while DBOS makes its tables.

const [url = '', schema = '', dbosSchema = '', words = '', times = '1'] = process.argv.slice(2);
let left = Number(times);

/** How the connections that DBOS uses are named. */
const dbosApplication = 'fullstop dbos';
interface WatchedClient extends pg.Client {
  readonly connectionParameters: { readonly application_name?: string };
}

const { query } = pg.Client.prototype;
function watched(this: WatchedClient, ...given: unknown[]): unknown {
  const [first] = given;
  const text = typeof first === 'string' ? first : ((first as { readonly text?: string } | undefined)?.text ?? '');
  const answer = (query as (...all: unknown[]) => unknown).apply(this, given);
  if (this.connectionParameters.application_name === dbosApplication && text.includes(words)) left -= 1;
  if (left === 0) setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  return answer;
}
Object.assign(pg.Client.prototype, { query: watched });

const work = defineRun({ name: 'work', run: async () => terminations.naturalEnd() });
dbosEngine({ url, schema, dbosSchema, queuePollMs: 20 }).worker([work]);
