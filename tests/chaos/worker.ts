import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { chaosRuns } from './bodies.js';
import { EffectLog, type Mark } from './effect-log.js';
import { sayAtWork } from './workers.js';

// A process that executes runs until it is killed. It also asks for the results of some, as a caller would.

const [file = '', logFile = '', thread = '', ...joined] = process.argv.slice(2);
const log = new (class extends EffectLog {
  #isAtWork = false;

  override effect(place: string): Mark {
    if (!this.#isAtWork) sayAtWork();
    this.#isAtWork = true;
    return super.effect(place);
  }
})(logFile);
const runs = chaosRuns(log);
const engine = sqliteEngine(file, { pollMs: 20, thread: thread === 'thread' });
engine.worker(runs, { concurrency: 8 });

for (const text of joined) {
  const { runId, name, input } = JSON.parse(text) as { runId: string; name: string; input: never };
  const run = runs.find((each) => each.name === name);
  void run?.run(input, { engine, runId }).then(({ segment, persisted, termination }) => {
    log.write({ type: 'result', runId, segment, persisted, ending: JSON.stringify(termination) });
  });
}
