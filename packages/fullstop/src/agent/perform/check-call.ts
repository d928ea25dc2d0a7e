import { itemsOf } from '../../run/log.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import type { JsonObject } from '../../termination/json.js';
import type { CheckedCall, ToolOutcome } from '../machine/state.js';
import type { PreparedTool } from '../options/prepare.js';
import type { ReadSchema } from '../tools/schema.js';
import { copyJson } from './copy-json.js';
import { type AskedCall, admitCall, errorOutcome, refuseChanged } from './perform-tool.js';

/** Decides about a call that a person may have to agree to: its outcome, or the stage and input to continue with. */
export async function checkCall(asked: AskedCall): Promise<ToolOutcome | CheckedCall> {
  const { prepared, call, state, facts } = asked;
  const refusal = refuseChanged(prepared, call);
  if (refusal !== undefined) return refusal;
  const { tool, permission, client } = prepared.tools.get(call.tool) as PreparedTool;
  try {
    const admitted = await admitCall(asked);
    if ('outcome' in admitted) return admitted.outcome;
    const { input, value } = admitted;
    const { needsApproval } = tool;
    const options = () => ({
      toolCallId: call.id,
      messages: copyJson(itemsOf(state.messages)),
      runId: facts.runId,
      context: facts.context,
      experimental_context: facts.context,
    });
    const isNeeded =
      permission === 'ask' ||
      (typeof needsApproval === 'function'
        ? yesOrNo(`${call.tool}.needsApproval`, await needsApproval(value, options()))
        : needsApproval);
    // A call that a person agreed to with other arguments is not asked about again.
    const isAsked = isNeeded === true && call.stage === 'ready';
    if (client === undefined) return { next: isAsked ? 'asking' : 'cleared', input };
    const resultSchema = await writeSchema(client.output);
    const next = isAsked ? 'asking' : 'called';
    return resultSchema === undefined ? { next, input } : { next, input, resultSchema };
  } catch (error) {
    return errorOutcome(error);
  }
}

/** A schema as JSON Schema; one that cannot be written so checks results all the same. */
async function writeSchema(schema: ReadSchema | undefined): Promise<JsonObject | undefined> {
  try {
    return await schema?.jsonSchema();
  } catch {
    return undefined;
  }
}
