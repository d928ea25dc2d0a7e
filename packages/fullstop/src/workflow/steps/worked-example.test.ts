import { describe, expect, it } from 'vitest';
import { drawMermaid } from '../analyze/draw-mermaid.js';
import { analyzeWorkflow } from '../analyze-workflow.js';
import { defineWorkflow } from '../define-workflow.js';
import { writeEvents } from '../events/write-events.js';
import { typesWithoutUnit } from '../graph/workflow-key.js';
import { loadDocumentWith } from '../load/load-document.js';
import type { LoadedDocument } from '../load/loaded-document.js';
import { jsonSchemaOf } from '../schema/json-schema.js';
import type { WorkflowProblem } from '../source/problem.js';
import { world } from '../workflow.fixture.js';
import { builtInStepTypes } from './built-in-step-types.js';
import { stepTypesWithNote } from './worked-example.fixture.js';

const text = `
workflow: {name: w, entry_point: jot, context: {mode: explicit}, input: {topic: {type: string, default: tides}}}
agents:
  - {name: jot, type: note, text: "about {{ workflow.input.topic }}", routes: [{to: both}]}
  - {name: left, type: note, text: l}
  - {name: right, type: note, text: r}
parallel: [{name: both, agents: [left, right]}]
output: {noted: "{{ jot.output.noted }}", left: "{{ both.outputs.left.noted }}"}
`;

const load = (source: string) => loadDocumentWith(stepTypesWithNote, { file: '/w/workflow.yaml', text: source });

function loaded(source: string): LoadedDocument {
  const result = load(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.loaded;
}

function problems(source: string): readonly WorkflowProblem[] {
  const result = load(source);
  return result.ok ? result.loaded.warnings : result.problems;
}

it('the grammar of keys knows the types without a unit', () => {
  const types = builtInStepTypes.rows.flatMap(({ shape, performer }) =>
    performer.effect === 'unit' ? [] : shape.type,
  );
  expect([...typesWithoutUnit].sort()).toEqual(types.sort());
});

describe('a new type of step, with one file and one row', () => {
  it('is validated', () => {
    expect(problems(text)).toEqual([]);
    expect(problems(text.replace('text: l', 'prompt: l')).map(({ message }) => message)).toEqual([
      "note agents require 'text'",
      "'note' agents cannot have 'prompt' (only agent, human_gate, questions agents can)",
    ]);
    expect(problems(text.replace('jot.output.noted', 'jot.output.notes')).map(({ code }) => code)).toEqual([
      'UNKNOWN_FIELD',
    ]);
    expect(problems(text.replace('type: note', 'type: noet'))[0]?.message).toContain('did you mean "note"?');
  });

  it('is in the JSON Schema', () => {
    expect(jsonSchemaOf(stepTypesWithNote)['$defs']).toMatchObject({
      NoteStep: { required: ['type', 'name', 'text'] },
    });
  });

  it('is analysed and drawn', () => {
    const analysis = analyzeWorkflow(loaded(text));
    expect(analysis.endings.find(({ kind }) => kind === 'flow_completed')?.steps).toEqual(['both']);
    expect(drawMermaid(analysis)).toContain('["jot: note"]');
  });

  it('runs, alone and in a group, and is in the event log', async () => {
    const document = loaded(text);
    const result = await defineWorkflow(document, {}, () => document).run({}, { engine: world().engine });
    expect(result).toMatchObject({
      termination: { kind: 'flow_completed', last: 'both' },
      output: { noted: 'about tides', left: 'l' },
    });
    const events = writeEvents(await result.journal(), stepTypesWithNote).map(({ type }) => type);
    expect(events.slice(0, 5)).toEqual([
      'workflow_started',
      'agent_started',
      'note_started',
      'note_completed',
      'route_taken',
    ]);
  });
});
