import { afterEach, describe, expect, test } from 'vitest';
import { type DbosEngine, type DbosEngineOptions, dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const opened: DbosEngine[] = [];

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

function open(schema: string, options: Partial<DbosEngineOptions> = {}): DbosEngine {
  const engine = dbosEngine({ url: database.url, schema, connections: 3, queuePollMs: 20, pollMs: 100, ...options });
  opened.push(engine);
  return engine;
}

const work = defineRun({
  name: 'work',
  run: async (context) => {
    await context.step('a', () => 1);
    return terminations.naturalEnd();
  },
});

describe.skipIf(isPostgresMissing)('segments that DBOS schedules', () => {
  test('are executed by a worker, and DBOS lists them with the name of the run and how it ended', async () => {
    const engine = open('basic');
    engine.worker([work]);
    await engine.start({ runId: 'a', name: 'work', version: work.version });
    const { termination } = await engine.waitForEnding('a', 1);
    expect(termination.kind).toBe('natural_end');
    await expect
      .poll(() => ask(database.url, 'SELECT workflow_uuid, status, attributes, output FROM dbos.workflow_status'))
      .toMatchObject([{ workflow_uuid: 'a:1:0@basic.', status: 'SUCCESS', attributes: { runId: 'a', name: 'work' } }]);
  });
});
