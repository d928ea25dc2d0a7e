import { describe, expectTypeOf, it } from 'vitest';
import type { JsonText } from './../source/json-text.js';
import type { ForEachGroup, Step, WorkflowDocument } from './document.js';
import type { OutputField } from './record-types.js';
import type { AgentStep } from './steps/agent.js';
import type { TerminateStep } from './steps/terminate.js';

describe('the types of a document', () => {
  it('come from the tables of the schema', () => {
    expectTypeOf<WorkflowDocument['workflow']['limits']['max_iterations']>().toEqualTypeOf<number>();
    expectTypeOf<WorkflowDocument['workflow']['limits']['timeout_seconds']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<WorkflowDocument['workflow']['context']['mode']>().toEqualTypeOf<
      'accumulate' | 'last_only' | 'explicit'
    >();
    expectTypeOf<WorkflowDocument['output']>().toEqualTypeOf<ReadonlyMap<string, string>>();
    expectTypeOf<WorkflowDocument['workflow']['metadata']>().toEqualTypeOf<ReadonlyMap<string, JsonText>>();
    expectTypeOf<ForEachGroup['agent']>().toEqualTypeOf<Step>();
    expectTypeOf<OutputField['items']>().toEqualTypeOf<OutputField | undefined>();
  });

  it('are distinguished by type', () => {
    const step = {} as Step;
    if (step.type === 'terminate') {
      expectTypeOf(step).toEqualTypeOf<TerminateStep>();
      expectTypeOf(step.reason).toEqualTypeOf<string>();
      expectTypeOf(step.output_template).toEqualTypeOf<ReadonlyMap<string, string> | undefined>();
      // @ts-expect-error an explicit end has no routes
      step.routes;
    }
    if (step.type === 'script') expectTypeOf(step.command).toEqualTypeOf<string>();
    if (step.type === 'wait') expectTypeOf(step.duration).toEqualTypeOf<string | number>();
    if (step.type === 'human_gate') expectTypeOf(step.options.length).toEqualTypeOf<number>();
  });

  it('have what a default fills in', () => {
    expectTypeOf<AgentStep['prompt']>().toEqualTypeOf<string>();
    expectTypeOf<AgentStep['tools']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<NonNullable<AgentStep['retry']>['backoff']>().toEqualTypeOf<'fixed' | 'exponential'>();
  });
});
