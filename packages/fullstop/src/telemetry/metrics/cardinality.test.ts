import { expect, it } from 'vitest';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { observed } from '../providers.fixture.js';
import { createTelemetry } from '../telemetry.js';

const endings = Number(process.env['FULLSTOP_CARDINALITY'] ?? 50_000);
const mostSeries = 200;

/** The entries of a run in which every name that anyone can invent is another one. */
function* inventedRun(random: () => number): Generator<EntryDraft> {
  const word = (): string => Math.floor(random() * 1e9).toString(36);
  const stage = `stage-${word()}`;
  const place = { scope: '', at: 0 } as const;
  const unit = { scope: stage, at: 0 } as const;
  yield {
    ...place,
    type: 'recorded',
    ordinal: 0,
    key: 'pipeline',
    data: { ok: true, attempts: 1, value: { pipeline: `pipeline-${word()}` } },
  };
  yield { ...place, type: 'scope_opened', ordinal: 1, key: stage, data: { name: stage, attempt: 1 } };
  yield {
    ...unit,
    type: 'step_ended',
    ordinal: 0,
    key: 'model:1',
    data: {
      ok: true,
      attempts: 1,
      charge: { inputTokens: 1, outputTokens: 1 },
      value: { response: { modelId: `model-${word()}` } },
    },
  };
  const calls = [
    { tool: `tool-${word()}`, ok: false },
    { tool: `invented-${word()}`, ok: false, mistake: 'unknown_tool' },
  ];
  yield { ...unit, type: 'observed', ordinal: 1, key: 'observe', data: { point: 'after_tools', calls } };
  const termination = endingOf(random, word());
  yield {
    ...place,
    type: 'unit_ended',
    ordinal: 1,
    key: stage,
    data: { termination, output: { outcome: random() < 0.5 ? 'failed' : 'succeeded' } },
  };
  yield { ...place, type: 'segment_ended', ordinal: -1, data: { envelope: envelopeOf(termination, word()) } };
}

function endingOf(random: () => number, word: string): AnyTermination {
  const kind = random();
  if (kind < 0.4) return terminations.custom({ reason: word, category: 'fatal', tag: word });
  if (kind < 0.7) return { kind: `app.${word}` } as unknown as AnyTermination;
  return kind < 0.85 ? terminations.naturalEnd() : terminations.maxToolCalls({ limit: 1, used: 1 });
}

function envelopeOf(termination: AnyTermination, word: string): EntryDraft<'segment_ended'>['data']['envelope'] {
  return {
    schemaVersion: 1,
    runId: word,
    segment: 1,
    name: word,
    termination,
    also: [],
    outcome: 'failed',
    category: 'fatal',
    family: 'error',
    open: true,
    tag: termination.kind,
    summary: '',
    nextAction: '',
    resumable: { how: 'resume' },
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    costUsd: 1,
    durationMs: 1,
    endedAt: 0,
  };
}

it(
  `${endings.toLocaleString('en')} endings with invented names, tools, kinds and reasons make a bounded number of series`,
  async () => {
    const seen = observed({ mostSeries, genAi: '2026-10' });
    // Spans are not what is counted here, and so many of them would only fill the memory.
    const telemetry = createTelemetry({ mostSeries, genAi: '2026-10', meterProvider: seen.meterProvider });
    const random = seededRandom(7);
    const counts: number[] = [];
    for (let index = 0; index < endings; index += 1) {
      const name = `run-${Math.floor(random() * 1e9)}`;
      const segment = telemetry.observe({ runId: `r${index}`, name, segment: 1, startedAt: 0 });
      for (const entry of inventedRun(random)) segment.entry(entry);
      if (index === Math.floor(endings / 2)) counts.push(await seen.seriesCount());
    }
    counts.push(await seen.seriesCount());
    // 16 instruments with at most 200 names each, and one series for every outcome and common cause beyond that.
    expect(counts[1]).toBeLessThan(16 * (mostSeries + 60));
    // Twice as many invented names make no more series, except for common words that had not come up yet.
    expect((counts[1] ?? 0) - (counts[0] ?? 0)).toBeLessThan(20);
    const completed = await seen.points('pipeline.stage.completed');
    expect(completed.reduce((sum, { value }) => sum + value, 0)).toBe(endings);
    expect(
      completed.some(
        ({ pipeline_name, termination_cause }) => pipeline_name === 'other' && termination_cause === 'natural_end',
      ),
    ).toBe(true);
    expect((await seen.points('pipeline.stage.tool.failed')).some(({ tool_name }) => tool_name === 'unknown')).toBe(
      true,
    );
  },
  60_000 + endings * 5,
);
