import type { RequestAnswer } from '../../engines/port/request.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import type { RequestTerms } from '../machine/rules.js';
import { readTerms } from '../options/permissions.js';
import { type ReadSchema, readSchema } from './schema.js';
import type { ClientTerms, ToolLike } from './tool.js';
import { unitOf } from './unit-tool.js';

/** A tool whose calls are performed outside the run, such as in the user's browser. */
export interface ClientTool extends ToolLike {
  readonly execute?: undefined;
}

/**
 * The same tool, with terms for its results. Any tool without `execute` is performed outside: a call pauses the run as
 * `interaction_pending` with a request of type `client_tool`, which is answered with `toolResult(value)` or `toolError(message)`.
 *
 * @example
 * const confirmAddress = clientTool({ description: 'Asks the user', inputSchema, outputSchema }, { deadline: '1h', onExpiry: 'reject' });
 */
export function clientTool<TTool extends ClientTool>(tool: TTool): TTool;
export function clientTool<TTool extends ClientTool, const TTerms extends ClientTerms>(
  tool: TTool,
  terms: TTerms,
): TTool & { readonly client: TTerms };
export function clientTool(tool: ClientTool, client?: ClientTerms): ToolLike {
  if (tool.execute !== undefined) {
    throw new FullstopError('INVALID_OPTION', 'clientTool: the tool has an execute function, so the run performs it.');
  }
  return client === undefined ? tool : { ...tool, client };
}

/** Who answers for a tool that was performed outside. */
export interface ResultNote {
  readonly by?: string;
}

/** The answer with the result of a call that was performed outside; the model sees it like any other. */
export function toolResult(value: JsonValue, note: ResultNote = {}): RequestAnswer {
  return { decision: 'value', value, ...note };
}

/** The answer that a call which was to be performed outside failed; the model sees the message as the error of the tool. */
export function toolError(message: string, note: ResultNote = {}): RequestAnswer {
  return { decision: 'deny', reason: message, ...note };
}

/** The terms and the schema of results from outside. */
export interface ReadClient {
  readonly terms: RequestTerms;
  readonly output: ReadSchema | undefined;
}

export function readClient(name: string, tool: ToolLike): ReadClient | undefined {
  const { execute, client, outputSchema, timeout } = tool;
  if (execute !== undefined || unitOf(tool) !== undefined) {
    if (client === undefined) return undefined;
    throw new FullstopError(
      'INVALID_OPTION',
      `The tool ${name} has terms for results from outside, but the run performs it. Leave out client, or execute.`,
    );
  }
  if (timeout !== undefined) {
    throw new FullstopError(
      'INVALID_OPTION',
      `The tool ${name} has a timeout but no execute: it is performed outside, where no clock of the run holds. Say by when with clientTool(tool, { deadline }).`,
    );
  }
  if ((client?.onExpiry as string | undefined) === 'approve') {
    throw new FullstopError(
      'INVALID_OPTION',
      `The tool ${name} is performed outside; onExpiry 'approve' would need a result that nobody returned. Use 'end', 'reject' or 'escalate'.`,
    );
  }
  return {
    terms: readTerms(client ?? {}, `The result of ${name}`),
    output: outputSchema === undefined ? undefined : readSchema(outputSchema, `The output schema of ${name}`),
  };
}
