import { describe, expect, it } from 'vitest';
import { type Conversation, conversationOf } from '../../../cli/src/dashboard/view/conversation.js';
import { reportData } from '../../../cli/src/report/report-data.js';
import { loopRecord } from '../../../cli/src/why/records.fixture.js';
import { reportTransport } from './report-transport.js';

async function report() {
  const record = await loopRecord();
  const session = { version: '1', store: 's', readOnly: true, by: 'me', followable: false };
  return { record, data: reportData(record, { session, row: { runId: 'r_loop' }, madeAt: 1 }) };
}

describe('reportTransport', () => {
  it('pages a conversation as the server does', async () => {
    const { record, data } = await report();
    const answer = reportTransport(data);
    for (const query of [{ limit: 3 }, { after: 2, limit: 2 }, { path: '', limit: 100 }, { path: 'x', limit: 5 }]) {
      const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      const response = await answer(`/api/runs/r_loop/conversation?${parameters}`);
      expect((await response.json()) as Conversation).toEqual(conversationOf(record, query));
    }
  });

  it('filters the journal', async () => {
    const { data } = await report();
    const response = await reportTransport(data)('/api/runs/r_loop/journal?type=segment_ended');
    expect(await response.json()).toMatchObject({ entries: [{ type: 'segment_ended' }], head: 22 });
  });

  it('refuses what it does not have in the form of the API', async () => {
    const { data } = await report();
    const response = await reportTransport(data)('/api/runs/other');
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: { code: 'NOT_IN_REPORT', message: expect.any(String) } },
    ]);
  });
});
