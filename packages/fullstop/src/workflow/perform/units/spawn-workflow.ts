import type { Envelope } from '../../../engines/port/envelope.js';
import type { RunEnd } from '../../../run/run-context.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';
import { valueFromJson, writeJsonText } from '../../../template/json-text.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonObject, JsonValue } from '../../../termination/json.js';
import type { WorkflowStart } from '../../machine/machine.js';
import type { UnitOutcome } from '../../machine/state.js';
import type { WorkflowRunInput } from '../../run-input.js';
import type { WorkflowStep } from '../../schema/steps/workflow.js';
import type { Runtime, StepContext } from '../runtime.js';
import { failUnit } from './unit-end.js';

interface Prepared {
  readonly child: Runtime;
  readonly limits: Pick<WorkflowStart, 'maxIterations' | 'budgetUsd'>;
}

/** Runs a sub-workflow as a run of its own, which whoever has the workflow around it can execute: it carries the same files. */
export async function spawnWorkflow(
  step: WorkflowStep,
  { context, state }: StepContext,
  { child: { given, spawner }, limits }: Prepared,
): Promise<RunEnd<Ending>> {
  if (spawner === undefined) return failUnit({ error: notAlone(step), errorClass: 'configuration' });
  const { definition, source, options } = spawner;
  const input: WorkflowRunInput = {
    inputs: given,
    source,
    options: { ...options, ...limits, skipGates: state.skipGates },
  };
  const envelope = await asUnitContext(context).runSpawned(definition, input as unknown as JsonObject);
  const { termination, also } = envelope;
  return { termination, also, output: outcomeOf(envelope) as unknown as JsonValue };
}

function notAlone({ name }: WorkflowStep): { readonly name: string; readonly message: string } {
  const message = `Sub-workflow '${name}' cannot be a run of its own: this workflow is a part of a run of something else. Run the workflow itself, or leave spawn out.`;
  return { name: 'ConfigurationError', message };
}

/** The outcome of the run for the workflow that spawned it. */
function outcomeOf({ output, costUsd, usage, estimated }: Envelope): UnitOutcome {
  return {
    output: output === undefined ? 'null' : writeJsonText(valueFromJson(output)),
    costUsd,
    tokens: usage.totalTokens,
    ...(estimated === true && { estimated: true }),
    ...(costUsd === null && { unpriced: true }),
  };
}
