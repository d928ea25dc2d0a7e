import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { chaosAgents } from './agent-bodies.js';
import { EffectLog, type Mark } from './effect-log.js';

const [file = '', logFile = '', effects = '0', delay = '0'] = process.argv.slice(2);

/** Has its process killed some time after so many effects have begun: never before there is something to lose. */
class FatalLog extends EffectLog {
  #left = Number(effects);

  override effect(place: string): Mark {
    this.#left -= 1;
    if (this.#left === 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(delay));
    return super.effect(place);
  }
}

sqliteEngine(file, { pollMs: 20 }).worker(chaosAgents(new FatalLog(logFile)), { concurrency: 6 });
