import pg from 'pg';
import { checkEqual } from '../../../packages/fullstop/src/testing/check.js';

/** Laws of a store, as questions whose answer is nothing. Plain SQL: the engine has no say in it. */
const violations: Readonly<Record<string, string>> = {
  'a segment with two endings':
    "SELECT run, segment FROM fullstop.journal WHERE type = 'segment_ended' GROUP BY run, segment HAVING count(*) > 1",
  'an ending that one table has and the other has not': `SELECT run, segment FROM fullstop.endings FULL JOIN
     (SELECT run, segment, seq FROM fullstop.journal WHERE type = 'segment_ended') j USING (run, segment, seq) WHERE closed IS NULL OR j.seq IS NULL`,
  'a run without an ending': "SELECT run_id FROM fullstop.runs WHERE state <> 'ended' OR ending_seq IS NULL",
  'a run that was ended by another version than it was started with': `SELECT r.run_id FROM fullstop.runs r
     JOIN fullstop.journal j ON j.run = r.id AND j.seq = r.ending_seq WHERE j.data::jsonb #>> '{envelope,output,version}' <> r.version`,
  'a run that somebody has': 'SELECT run_id FROM fullstop.runs WHERE owner IS NOT NULL',
  'a gap in a journal': 'SELECT run FROM fullstop.journal GROUP BY run HAVING count(*) <> max(seq) OR min(seq) <> 1',
  'an entry after the last ending':
    'SELECT r.run_id FROM fullstop.runs r WHERE r.ending_seq <> (SELECT max(seq) FROM fullstop.journal WHERE run = r.id)',
  'a finished segment without an ending': `SELECT j.run FROM fullstop.journal j JOIN fullstop.runs r ON r.id = j.run
     GROUP BY j.run, r.segment HAVING count(*) FILTER (WHERE j.type = 'segment_ended') <> r.segment`,
  'an operation with two outcomes': `SELECT run, scope, ordinal, type, segment, array_agg(seq || ' ' || key || ' ' || left(data, 200) ORDER BY seq) AS entries
     FROM fullstop.journal WHERE type IN ('step_ended', 'recorded') GROUP BY run, scope, ordinal, type, segment HAVING count(*) > 1`,
  'an ending without a notice':
    'SELECT run, segment FROM fullstop.endings e WHERE NOT EXISTS (SELECT 1 FROM fullstop.outbox o WHERE o.run = e.run AND o.segment = e.segment)',
  'a request that is open although its run is closed':
    "SELECT q.run FROM fullstop.requests q JOIN fullstop.runs r ON r.id = q.run WHERE q.state = 'open' AND r.closed = 1",
};

export interface ServerCounts {
  readonly lawsInSql: number;
  readonly endings: number;
  readonly epochs: number;
}

export async function checkServerLaws(url: string): Promise<ServerCounts> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [law, question] of Object.entries(violations))
      checkEqual((await client.query({ text: question })).rows.slice(0, 3), [], law);
    const { rows } = await client.query<{ endings: number; epochs: number }>(
      'SELECT (SELECT count(*)::int FROM fullstop.endings) AS endings, (SELECT sum(epoch)::int FROM fullstop.runs) AS epochs',
    );
    const [counts = { endings: 0, epochs: 0 }] = rows;
    return { lawsInSql: Object.keys(violations).length, ...counts };
  } finally {
    await client.end();
  }
}
