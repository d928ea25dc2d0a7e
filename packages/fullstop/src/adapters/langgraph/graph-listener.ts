import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { ForeignCall, ForeignCause, ForeignStep } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import { property } from '../core/thrown-cause.js';
import { finishOfMessage, journalMessage, textOfMessage } from './read-message.js';
import type { ChainMessage } from './structure.js';

interface Answered {
  readonly message: ChainMessage;
  readonly results: ForeignCall[];
  readonly said: ChainMessage[];
}

interface ToolStart {
  readonly tool: string;
  readonly input: unknown;
  readonly answered: Answered | undefined;
}

/** Listens to a graph through the callbacks of LangChain: answers of models with the results of their calls become steps. */
export class GraphListener {
  readonly #report: (step: ForeignStep, causes: readonly ForeignCause[]) => Promise<boolean>;
  readonly #stop: () => void;
  /** Answers whose step is not reported yet, oldest first. */
  readonly #open: Answered[] = [];
  readonly #tools = new Map<string, ToolStart>();
  #model = '';
  /** The errors of models, as they were thrown: graphs may wrap them. */
  modelError: unknown;

  constructor(report: (step: ForeignStep, causes: readonly ForeignCause[]) => Promise<boolean>, stop: () => void) {
    this.#report = report;
    this.#stop = stop;
  }

  /** The handler; it is waited for, so that a run that has to stop gets no further. */
  get handler(): object {
    return {
      // With a name LangChain takes the handler as it is; without one it defines a class for it.
      name: 'fullstop',
      awaitHandlers: true,
      raiseError: false,
      ignoreChain: true,
      ignoreRetriever: true,
      ignoreCustomEvent: true,
      handleChatModelStart: (model: unknown) => this.#beforeModel(model),
      handleLLMStart: (model: unknown) => this.#beforeModel(model),
      handleLLMEnd: (output: unknown) => this.#afterModel(output),
      handleLLMError: (error: unknown) => {
        this.modelError = error;
      },
      handleToolStart: (tool: unknown, input: unknown, runId: string, ...rest: readonly unknown[]) =>
        this.#beforeTool(tool, input, runId, rest),
      handleToolEnd: (output: unknown, runId: string) => this.#afterTool(output, runId),
      handleToolError: (error: unknown, runId: string) => this.#afterToolError(error, runId),
    };
  }

  /** Reports what is still open when the graph is through; the causes belong to the last step. */
  async finish(causes: readonly ForeignCause[]): Promise<boolean> {
    let stop = false;
    while (this.#open.length > 0) {
      const answered = this.#open.shift() as Answered;
      stop = await this.#report(this.#stepOf(answered), this.#open.length === 0 ? causes : []);
    }
    return stop;
  }

  /** The last answer that was not reported yet. */
  get last(): ChainMessage | undefined {
    return this.#open.at(-1)?.message;
  }

  async #beforeModel(model: unknown): Promise<void> {
    const id = property(model, 'id');
    if (Array.isArray(id) && typeof id.at(-1) === 'string') this.#model = id.at(-1) as string;
    while (this.#open.length > 0) {
      const answered = this.#open.shift() as Answered;
      if (!(await this.#report(this.#stepOf(answered), []))) continue;
      this.#stop();
      return;
    }
  }

  #afterModel(output: unknown): void {
    const generations = property(output, 'generations');
    const first: unknown = Array.isArray(generations)
      ? (generations[0] as readonly unknown[] | undefined)?.[0]
      : undefined;
    const message = property(first, 'message') as ChainMessage | undefined;
    const text = property(first, 'text');
    this.#open.push({ message: message ?? { content: typeof text === 'string' ? text : '' }, results: [], said: [] });
  }

  #beforeTool(tool: unknown, input: unknown, runId: string, rest: readonly unknown[]): void {
    // LangChain passes the name of the run last; the serialised tool has only its class.
    const name = rest.findLast((value) => typeof value === 'string') ?? property(tool, 'name');
    const answered = this.#open.at(-1);
    this.#tools.set(runId, { tool: String(name ?? ''), input: readInput(input), answered });
  }

  #afterTool(output: unknown, runId: string): void {
    const started = this.#tools.get(runId);
    this.#tools.delete(runId);
    if (started?.answered === undefined) return;
    const { tool, input, answered } = started;
    const message = output as ChainMessage;
    const isMessage = typeof property(output, 'tool_call_id') === 'string';
    const result = isMessage ? toJournalJson(message.content) : toJournalJson(output);
    const name = isMessage && typeof message.name === 'string' ? message.name : tool;
    const failed = isMessage && message.status === 'error';
    const error = failed ? toErrorData(new Error(String(result)), { stack: false }) : undefined;
    answered.results.push({ tool: name, input: toJournalJson(input), result, ...(error !== undefined && { error }) });
    if (isMessage) answered.said.push(message);
  }

  #afterToolError(error: unknown, runId: string): void {
    const started = this.#tools.get(runId);
    this.#tools.delete(runId);
    if (started?.answered === undefined) return;
    const data = toErrorData(error, { data: false });
    const { tool, input, answered } = started;
    answered.results.push({ tool, input: toJournalJson(input), result: data.message, error: data });
  }

  #stepOf({ message, results, said }: Answered): ForeignStep {
    const usage = message.usage_metadata;
    const named = message.response_metadata?.['model_name'] ?? message.response_metadata?.['model'];
    const cached = usage?.input_token_details?.cache_read;
    return {
      model: typeof named === 'string' ? named : this.#model,
      text: textOfMessage(message),
      finish: finishOfMessage(message),
      usage: {
        inputTokens: usage?.input_tokens,
        outputTokens: usage?.output_tokens,
        cachedInputTokens: cached,
      },
      calls: results,
      messages: [message, ...said].map(journalMessage),
    };
  }
}

function readInput(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}
