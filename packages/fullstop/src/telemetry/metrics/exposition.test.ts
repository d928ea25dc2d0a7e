import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { defineAgent } from '../../agent/define-agent.js';
import { approve } from '../../agent/options/directive.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { categories } from '../../termination/ending.js';
import { instrument } from '../instrument.js';
import { createTelemetry } from '../telemetry.js';
import { findPromtool } from './promtool.fixture.js';

const examples = join(import.meta.dirname, '../../../../../examples/observability');
const alerts = readFileSync(join(examples, 'alerts.yml'), 'utf8');
const dashboard = readFileSync(join(examples, 'dashboard.json'), 'utf8');

/** The text that Prometheus would scrape after runs that touch every instrument. */
async function exposition(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const telemetry = createTelemetry({ meterProvider: new MeterProvider({ readers: [exporter] }), genAi: '2026-10' });
  const engine = instrument(memoryEngine(), telemetry);
  const usage = { inputTokens: 10, outputTokens: 5 };
  const agent = defineAgent({
    name: 'sender',
    model: scriptedModel([
      {
        toolCalls: [
          { tool: 'send', input: {}, id: 'c1' },
          { tool: 'invented', input: {} },
        ],
        usage,
      },
      { text: 'sent "it"\n', usage },
    ]),
    tools: { send: requireApproval({ execute: () => 'ok' }) },
    prices: { scripted: { inputPerMillion: 1, outputPerMillion: 2 } },
  });
  const flow = pipeline('with "quotes" and \\').stage(
    'send',
    using(agent, () => 'go'),
  );
  const paused = await flow.run(undefined, { engine });
  const [request] = paused.termination.kind === 'interaction_pending' ? paused.termination.requests : [];
  await paused.resume({ answers: { [request?.id ?? '']: approve() } });
  await pipeline('asks')
    .stage('ask', (_, { context }) => context.wait({ id: 'q', type: 'input' }))
    .run(undefined, { engine });
  telemetry.flush();
  const { resourceMetrics } = await exporter.collect();
  return new PrometheusSerializer().serialize(resourceMetrics);
}

let text = '';
beforeAll(async () => {
  text = await exposition();
});

/** Names in expressions that look like series. */
const labels: ReadonlySet<string> = new Set([
  'pipeline_name',
  ...['agent', 'provider', 'tool', 'workflow'].map((name) => `gen_ai_${name}_name`),
  'gen_ai_request_model',
]);

/** The names of series that an expression asks for. */
function namesIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:fullstop|gen_ai|pipeline)_[a-z_]+(?=[{[)\s,])/g)]
    .map(([name]) => name)
    .filter((name) => !labels.has(name));
}

describe('the observability example', () => {
  it('has alert rules and a dashboard that ask for series which exist', () => {
    const rules = (parse(alerts) as { groups: { rules: { expr: string }[] }[] }).groups.flatMap((group) => group.rules);
    const { panels } = JSON.parse(dashboard) as { panels: { title: string; targets: { expr: string }[] }[] };
    const asked = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const names = new Set(asked.flatMap(namesIn));
    expect(names.size).toBeGreaterThan(10);
    for (const name of names) expect(text, name).toContain(`\n${name}{`);
  });

  it('has an alert for every category that asks for something, and a panel of endings by kind', () => {
    const alerted = categories.filter((category) => alerts.includes(`category="${category}"`));
    expect(alerted).toEqual(['success', 'cancelled', 'capacity', 'retryable', 'fatal']);
    expect(alerts).toContain('fullstop_gate_wait');
    expect(alerts).toContain('fullstop_run_waiting_age');
    expect(dashboard).toContain('sum by (termination) (increase(fullstop_run_ended_total');
  });
});

describe('promtool', () => {
  const found = findPromtool();
  if ('missing' in found) {
    process.stderr.write(
      `\nSKIPPED: promtool could not be installed, so nothing checked the exposition: ${found.missing}\n`,
    );
  }
  const check = (args: readonly string[], input?: string): string =>
    execFileSync('path' in found ? found.path : '', args, {
      encoding: 'utf8',
      cwd: examples,
      ...(input !== undefined && { input }),
    });

  it.skipIf('missing' in found)('accepts the exposition', () => {
    // It has an opinion on units in names, but these names are given; everything else must be in order.
    let said = '';
    try {
      said = check(['check', 'metrics'], text);
    } catch (error) {
      const { status, stderr, stdout } = error as { status: number; stderr: string; stdout: string };
      expect(status, stderr).toBe(3);
      said = `${stdout}${stderr}`;
    }
    expect(said.split('\n').filter((line) => line !== '' && !/should|unit/.test(line))).toEqual([]);
  });

  it.skipIf('missing' in found)('accepts the alert rules and the configuration', () => {
    expect(check(['check', 'rules', 'alerts.yml'])).toContain('SUCCESS: 10 rules found');
    expect(check(['check', 'config', 'prometheus.yml'])).toContain('SUCCESS');
  });

  it.skipIf('missing' in found)('finds that the alerts fire when they should, and only then', () => {
    expect(check(['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS');
  });
});
