import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { loadWorkflow } from '../../workflow/load-workflow.js';
import { instrument } from '../instrument.js';
import { observed, pathsOf } from '../providers.fixture.js';
import { named } from '../searching.fixture.js';

const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;

const file = `
workflow: {name: demo, entry_point: list}
agents:
  - {name: list, type: set, values: {items: "{{ [1, 2] }}"}, routes: [{to: both}]}
  - {name: a, type: set, value: "{{ 1 }}"}
  - {name: b, type: set, value: "{{ 2 }}"}
  - {name: pause, type: wait, duration: 5s, routes: [{to: stop}]}
  - {name: stop, type: terminate, status: failed, reason: enough}
parallel: [{name: both, agents: [a, b], routes: [{to: each}]}]
for_each:
  - name: each
    type: for_each
    source: list.output.items
    as: item
    agent: {name: one, type: set, value: "{{ item }}"}
    routes: [{to: pause}]
`;

describe('spans of a workflow', () => {
  it('are one for every step that its file names, with status and duration, also where nothing but templates ran', async () => {
    const seen = observed();
    const clock = simulatedClock();
    const engine = instrument(memoryEngine({ clock }), seen.telemetry);
    const result = await loadWorkflow('demo.yaml', { text: file }).run({}, { engine });
    expect(result.termination.kind).toBe('terminated');
    const facts = seen
      .spans()
      .map(({ name, attributes, status, startTime, endTime }) => [
        name,
        attributes['fullstop.step'] ?? attributes['fullstop.unit'],
        attributes['fullstop.step.type'],
        status.code === SpanStatusCode.ERROR ? attributes['error.type'] : 'fine',
        ms(endTime) - ms(startTime),
      ]);
    expect(facts.filter(([name]) => name !== 'fullstop.start')).toEqual([
      ['fullstop.step', 'list', 'set', 'fine', 0],
      ['fullstop.step', 'both.a', 'set', 'fine', 0],
      ['fullstop.step', 'both.b', 'set', 'fine', 0],
      ['fullstop.group', 'both', 'parallel', 'fine', 0],
      ['fullstop.step', 'each[0]', 'set', 'fine', 0],
      ['fullstop.step', 'each[1]', 'set', 'fine', 0],
      ['fullstop.group', 'each', 'for_each', 'fine', 0],
      ['fullstop.unit', 'pause', 'wait', 'fine', 5000],
      ['fullstop.step', 'stop', 'terminate', 'terminated', 0],
      ['fullstop.run', undefined, undefined, 'terminated', 5000],
    ]);
    expect(pathsOf(seen.spans()).filter((path) => path.includes('group'))).toEqual([
      'start > run > group > step',
      'start > run > group > step',
      'start > run > group',
      'start > run > group > step',
      'start > run > group > step',
      'start > run > group',
    ]);
    const routes = named(seen.spans(), 'fullstop.run').events.filter(({ name }) => name === 'fullstop.route');
    expect(routes.map(({ attributes }) => [attributes?.['from'], attributes?.['to']])).toEqual([
      ['list', 'both'],
      ['both', 'each'],
      ['each', 'pause'],
      ['pause', 'stop'],
    ]);
    expect(seen.openSpans()).toEqual([]);
  });

  it('say which step failed, and which group', async () => {
    const seen = observed();
    const engine = instrument(memoryEngine(), seen.telemetry);
    const text = `
workflow: {name: demo, entry_point: both}
agents:
  - {name: a, type: set, value: "{{ nowhere.at.all }}"}
  - {name: b, type: set, value: "{{ 2 }}"}
parallel: [{name: both, agents: [a, b], failure_mode: fail_fast}]
`;
    await loadWorkflow('demo.yaml', { text }).run({}, { engine });
    const failed = seen.spans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.map(({ name, attributes }) => [name, attributes['fullstop.step'], attributes['error.type']])).toEqual(
      [
        ['fullstop.step', 'both.a', 'TemplateError'],
        ['fullstop.group', 'both', 'failed'],
        ['fullstop.run', undefined, 'failed'],
      ],
    );
    expect(seen.openSpans()).toEqual([]);
  });

  it('are in the group again when a later segment continues it', () => {
    const seen = observed();
    const place = { runId: 'r', segment: 1, scope: '', at: 0 } as const;
    const members = [{ name: 'inner', kind: 'workflow' }];
    const history: JournalEntry[] = [
      {
        ...place,
        seq: 1,
        type: 'recorded',
        ordinal: 0,
        key: 'start',
        data: { ok: true, attempts: 1, value: { inputs: '{}' } },
      },
      {
        ...place,
        seq: 2,
        type: 'observed',
        ordinal: 1,
        data: { type: 'step_started', step: 'both', kind: 'parallel', members },
      },
      {
        ...place,
        seq: 3,
        type: 'scope_opened',
        ordinal: 2,
        key: 'both.inner',
        data: { name: 'both.inner', attempt: 1 },
      },
    ];
    const later = seen.telemetry.observe({ runId: 'r', name: 'demo', segment: 2, startedAt: 10, history });
    later.entry({
      scope: '',
      at: 20,
      type: 'step_ended',
      ordinal: 3,
      key: 'set:both.b',
      data: { ok: true, attempts: 1 },
    });
    later.entry({ scope: '', at: 30, type: 'observed', ordinal: 4, data: { type: 'group_completed', step: 'both' } });
    later.entry({
      scope: '',
      at: 40,
      type: 'step_ended',
      ordinal: 5,
      key: 'script:after',
      data: { ok: true, attempts: 1 },
    });
    later.close(50, 'unfinished');
    expect(pathsOf(seen.spans())).toEqual(['run > group > step', 'run > group', 'run > step', 'run']);
    expect(seen.openSpans()).toEqual([]);
  });
});
