import type { AddressInfo } from 'node:net';
import { memoryEngine } from 'fullstop';
import { instrument } from 'fullstop/telemetry';
import { metricsEndpoint } from './observability/metrics-endpoint.js';
import { sampleRuns } from './observability/sample-runs.js';

const { telemetry, server } = metricsEndpoint();
await new Promise<void>((resolve) => server.listen(0, resolve));

// Every run on this engine is measured, whatever its body and wherever it is executed.
await sampleRuns(instrument(memoryEngine(), telemetry));

const scraped = await fetch(`http://localhost:${(server.address() as AddressInfo).port}/metrics`);
const lines = (await scraped.text()).split('\n');
for (const name of ['fullstop_run_ended', 'pipeline_stage_completed']) {
  for (const line of lines.filter((each) => each.startsWith(name)))
    console.log(line.replace(/,?otel_scope_\w+="[^"]*"/g, ''));
}
server.close();
