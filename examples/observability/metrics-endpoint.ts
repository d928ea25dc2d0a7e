import { createServer, type Server } from 'node:http';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { createTelemetry, type Telemetry } from 'fullstop/telemetry';

export interface MetricsEndpoint {
  readonly telemetry: Telemetry;
  /** Answers GET /metrics in the Prometheus exposition format. */
  readonly server: Server;
}

/** Telemetry whose metrics Prometheus can scrape. Spans go to whatever tracer provider is registered. */
export function metricsEndpoint(): MetricsEndpoint {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const telemetry = createTelemetry({ meterProvider: new MeterProvider({ readers: [exporter] }), genAi: '2026-10' });
  const server = createServer((request, response) => {
    telemetry.flush();
    exporter.getMetricsRequestHandler(request, response);
  });
  return { telemetry, server };
}
