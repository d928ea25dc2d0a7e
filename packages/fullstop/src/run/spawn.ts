import type { Envelope } from '../engines/port/envelope.js';
import type { JsonValue } from '../termination/json.js';
import type { Execution } from './execution.js';
import type { RunContext, Spawnable, SpawnedRun } from './run-context.js';

interface SpawnCall {
  readonly definition: Spawnable;
  readonly input: JsonValue | undefined;
  readonly runId?: string;
}

/** Starts a run of its own. Its id is derived from this run's, so that a repeated start is recognised. */
export async function spawn(execution: Execution, context: RunContext, call: SpawnCall): Promise<SpawnedRun> {
  const { engine, session } = execution;
  const { definition } = call;
  const input = execution.seal(call.input);
  const runId = call.runId ?? context.uuid();
  await context.step(`spawn:${definition.name}`, () =>
    engine.start({
      runId,
      name: definition.name,
      version: definition.version,
      parent: { runId: session.identity.runId, scope: context.scope },
      ...(input !== undefined && { input }),
    }),
  );
  execution.settings.launch(definition, runId);
  return {
    runId,
    ending: () =>
      context.step(`ending:${runId}`, async ({ signal }) => {
        const envelope = await engine.waitForEnding(runId, 1, signal);
        return envelope;
      }) as Promise<Envelope>,
  };
}
