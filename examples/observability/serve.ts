import { memoryEngine } from 'fullstop';
import { instrument } from 'fullstop/telemetry';
import { metricsEndpoint } from './metrics-endpoint.js';
import { sampleRuns } from './sample-runs.js';

// Keeps running, so that Prometheus (prometheus.yml) and Grafana (dashboard.json) have something to show.
const { telemetry, server } = metricsEndpoint();
server.listen(9464, () => console.log('http://localhost:9464/metrics'));

for (;;) {
  await sampleRuns(instrument(memoryEngine(), telemetry));
  await new Promise((resolve) => setTimeout(resolve, 2000));
}
