import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { defineRun, memoryEngine, terminations } from 'fullstop';
import { deliverNotices, verifyNotice } from 'fullstop/notices';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

// The receiver: anything that can check a Standard Webhooks signature. It fails once, to show the second attempt.
let calls = 0;
const server = createServer(async (request, response) => {
  const notice = await verifyNotice(request.headers, await text(request), secret);
  calls += 1;
  console.log(`call ${calls}:`, notice.id, notice.envelope.termination.kind);
  response.writeHead(calls === 1 ? 503 : 204, { 'retry-after': '1' }).end();
});
await new Promise<void>((resolve) => server.listen(0, resolve));
const url = `http://localhost:${(server.address() as AddressInfo).port}/endings`;

const engine = memoryEngine();
const report = defineRun({
  name: 'report',
  onEnding: ['ops', 'log'],
  run: async () => terminations.flowCompleted({ last: 'send' }),
});

const delivery = deliverNotices(engine, {
  targets: { ops: { url, secret }, log: (notice) => console.log('log:', notice.envelope.summary) },
  pollMs: 50,
  onFailure: ({ notice, error }) => console.log('will retry:', notice.target, '·', error.message),
});
await report.run(undefined, { engine, runId: 'monday' });
await delivery.deliverDue();

// In a service: call start() once, and stop() at shutdown.
delivery.start();
while (calls < 2) await new Promise((resolve) => setTimeout(resolve, 50));
await delivery.stop();
server.close();
