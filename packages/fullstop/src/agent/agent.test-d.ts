import { createUIMessageStreamResponse, tool } from 'ai';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.js';
import type { ModelMessage } from '../models/message.js';
import type { StopCondition } from '../stop/condition.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { timeout } from '../stop/conditions/timeout.js';
import { defineTermination } from '../termination/define-termination.js';
import type { JsonValue } from '../termination/json.js';
import type { TerminationKinds } from '../termination/kinds.js';
import { match } from '../termination/match.js';
import { defineAgent } from './define-agent.js';
import type { BaseKind } from './kinds.js';
import { submit } from './options/directive.js';
import { goal } from './options/goal.js';
import { runAgent } from './run-agent.js';
import type { AgentDelta } from './stream/deltas.js';
import type { UIMessageChunk } from './stream/ui-chunk.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { clientTool } from './tools/client-tool.js';
import { handOff } from './tools/hand-off.js';
import { submitTool } from './tools/submit-tool.js';
import { requireApproval } from './tools/tool.js';

declare const model: LanguageModel;
declare const condition: boolean;
const prompt = 'go';
const plain = { inputSchema: { type: 'object' }, execute: (input: { readonly q: string }) => input.q };
const sdk = tool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => q });

type KindOf<T extends (...values: never[]) => unknown> =
  Awaited<ReturnType<T>> extends { readonly termination: { readonly kind: infer K } } ? K : never;

describe('the kinds that an agent can end with', () => {
  it('are the base kinds without options', () => {
    const run = () => runAgent({ model, prompt });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind>();
  });

  it('grow with a literal list of conditions, an empty one adds nothing', () => {
    const run = () => runAgent({ model, prompt, stopWhen: [costBudget({ usd: 1 }), loopDetection()] });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'cost_budget' | 'loop_detected'>();
    const none = () => runAgent({ model, prompt, stopWhen: [] });
    expectTypeOf<KindOf<typeof none>>().toEqualTypeOf<BaseKind>();
    const tools = () => runAgent({ model, prompt, stopWhen: [timeout({ tool: '1s' })] });
    expectTypeOf<KindOf<typeof tools>>().toEqualTypeOf<BaseKind>();
  });

  it('grow with a spread, a conditional spread and a held list', () => {
    const held = [costBudget({ usd: 1 }), loopDetection()];
    const run = () => runAgent({ model, prompt, stopWhen: [...held, maxToolCalls(3)] });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'cost_budget' | 'loop_detected' | 'max_tool_calls'>();
    const maybe = () => runAgent({ model, prompt, stopWhen: [...(condition ? [maxToolCalls(3)] : [])] });
    expectTypeOf<KindOf<typeof maybe>>().toEqualTypeOf<BaseKind | 'max_tool_calls'>();
    const whole = () => runAgent({ model, prompt, stopWhen: held });
    expectTypeOf<KindOf<typeof whole>>().toEqualTypeOf<BaseKind | 'cost_budget' | 'loop_detected'>();
  });

  it('are all known kinds for a widened list', () => {
    const widened: readonly StopCondition[] = [];
    const run = () => runAgent({ model, prompt, stopWhen: widened });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | keyof TerminationKinds>();
  });

  it('grow with own kinds', () => {
    const reconciled = defineTermination({
      kind: 'app.reconciled',
      schema: z.object({ n: z.number() }),
      family: 'completion',
      category: 'success',
    });
    const run = () =>
      runAgent({
        model,
        prompt,
        terminations: [reconciled],
        stopWhen: [stopCondition('r', () => reconciled({ n: 1 }), ['app.reconciled'])],
      });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'app.reconciled'>();
  });

  it('grow with approvals: of our own tools only where asked for, of the AI SDK always', () => {
    const without = () => runAgent({ model, prompt, tools: { plain } });
    expectTypeOf<KindOf<typeof without>>().toEqualTypeOf<BaseKind>();
    const approved = () => runAgent({ model, prompt, tools: { plain: requireApproval(plain) } });
    expectTypeOf<KindOf<typeof approved>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const ofSdk = () => runAgent({ model, prompt, tools: { sdk } });
    expectTypeOf<KindOf<typeof ofSdk>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
  });

  it('grow with tools that are performed outside, and with deadlines for their results', () => {
    const outside = { inputSchema: { type: 'object' } };
    const waiting = () => runAgent({ model, prompt, tools: { plain, outside } });
    expectTypeOf<KindOf<typeof waiting>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const ofSdk = () => runAgent({ model, prompt, tools: { sdk: tool({ inputSchema: z.object({}) }) } });
    expectTypeOf<KindOf<typeof ofSdk>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const limited = () => runAgent({ model, prompt, tools: { outside: clientTool(outside, { deadline: '1h' }) } });
    expectTypeOf<KindOf<typeof limited>>().toEqualTypeOf<BaseKind | 'interaction_pending' | 'gate_expired'>();
    const rejecting = clientTool(outside, { deadline: '1h', onExpiry: 'reject' });
    const told = () => runAgent({ model, prompt, tools: { rejecting } });
    expectTypeOf<KindOf<typeof told>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const maybe = () => runAgent({ model, prompt, tools: condition ? { plain } : { outside } });
    expectTypeOf<KindOf<typeof maybe>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const inner = defineAgent({ model, tools: { outside } });
    const around = () => runAgent({ model, prompt, tools: { inner: agentAsTool(inner) } });
    expectTypeOf<KindOf<typeof around>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    // @ts-expect-error nobody can approve a result that is not there
    void clientTool(outside, { deadline: '1h', onExpiry: 'approve' });
    // @ts-expect-error the run performs it
    void clientTool(plain, { deadline: '1h' });
  });

  it('grow with what permissions have a person asked about, and with deadlines that end the run', () => {
    const listed = () =>
      runAgent({ model, prompt, tools: { plain }, permissions: { allow: ['plain'], readOnly: true } });
    expectTypeOf<KindOf<typeof listed>>().toEqualTypeOf<BaseKind>();
    const asked = () => runAgent({ model, prompt, tools: { plain }, permissions: { ask: ['plain'] } });
    expectTypeOf<KindOf<typeof asked>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const permissions = { ask: ['plain'], approval: { deadline: '1h' } } as const;
    const limited = () => runAgent({ model, prompt, tools: { plain }, permissions });
    expectTypeOf<KindOf<typeof limited>>().toEqualTypeOf<BaseKind | 'interaction_pending' | 'gate_expired'>();
    const expiring = () => runAgent({ model, prompt, tools: { plain: requireApproval(plain, { deadline: '1h' }) } });
    expectTypeOf<KindOf<typeof expiring>>().toEqualTypeOf<BaseKind | 'interaction_pending' | 'gate_expired'>();
    const rejecting = requireApproval(plain, { deadline: '1h', onExpiry: 'reject' });
    const decided = () => runAgent({ model, prompt, tools: { plain: rejecting } });
    expectTypeOf<KindOf<typeof decided>>().toEqualTypeOf<BaseKind | 'interaction_pending'>();
    const escalation = { to: 'boss', deadline: '1d' } as const;
    const escalating = requireApproval(plain, { deadline: '1h', onExpiry: 'escalate', escalation });
    const escalated = () => runAgent({ model, prompt, tools: { plain: escalating } });
    expectTypeOf<KindOf<typeof escalated>>().toEqualTypeOf<BaseKind | 'interaction_pending' | 'gate_expired'>();
    // @ts-expect-error askk is no list
    void runAgent({ model, prompt, tools: { plain }, permissions: { askk: ['plain'] } });
  });

  it('stay the same with prompts and rounds of iterations, and are the same when streamed or run inside another run', () => {
    const run = () => runAgent({ model, prompt, promptFor: ({ iteration }) => `${iteration}`, roundsPerIteration: 3 });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind>();
    const agent = defineAgent({ model, stopWhen: [loopDetection()], output: z.object({ score: z.number() }) });
    const streamed = () => agent.stream('go').result;
    type Kinds = BaseKind | 'loop_detected' | 'structured_output_exhausted';
    expectTypeOf<KindOf<typeof streamed>>().toEqualTypeOf<Kinds>();
    const within = () => agent.within({} as never, 'go');
    expectTypeOf<KindOf<typeof within>>().toEqualTypeOf<Kinds>();
    expectTypeOf<Awaited<ReturnType<typeof within>>['output']>().toEqualTypeOf<{ score: number } | undefined>();
    expectTypeOf(agent.kinds).toEqualTypeOf<readonly string[]>();
  });

  it('have typed deltas and a UI message stream that the AI SDK takes', () => {
    const stream = defineAgent({ model }).stream('go', { onDelta: (delta) => void delta.type });
    expectTypeOf(stream.deltas()).toEqualTypeOf<AsyncIterableIterator<AgentDelta>>();
    expectTypeOf(createUIMessageStreamResponse({ stream: stream.toUIMessageStream() })).toEqualTypeOf<Response>();
    expectTypeOf(stream.toUIMessageStream()).toEqualTypeOf<AsyncIterable<UIMessageChunk>>();
  });

  it('grow with tools that hand in the result', () => {
    const run = () => runAgent({ model, prompt, tools: { plain, submit: submitTool() } });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'submitted'>();
    expectTypeOf<Awaited<ReturnType<typeof run>>['output']>().toEqualTypeOf<JsonValue | undefined>();
    const own = () => runAgent({ model, prompt, tools: { hand: { execute: () => (condition ? submit(1) : 'no') } } });
    expectTypeOf<KindOf<typeof own>>().toEqualTypeOf<BaseKind | 'submitted'>();
  });

  it('grow with an output schema, by whether repair is allowed', () => {
    const output = z.object({ score: z.number() });
    const run = () => runAgent({ model, prompt, output });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'structured_output_exhausted'>();
    expectTypeOf<Awaited<ReturnType<typeof run>>['output']>().toEqualTypeOf<{ score: number } | undefined>();
    const once = () => runAgent({ model, prompt, output, repair: false });
    expectTypeOf<KindOf<typeof once>>().toEqualTypeOf<BaseKind | 'schema_validation'>();
  });

  it('grow with a goal, whose view has its type', () => {
    const run = () => runAgent({ model, prompt, goal: goal(({ toolCalls }) => toolCalls > 3) });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<BaseKind | 'completed'>();
    goal(({ messages }) => {
      expectTypeOf(messages).toEqualTypeOf<readonly ModelMessage[]>();
      return messages[0]?.role === 'user';
    });
    const often = () => runAgent({ model, prompt, goal: goal((view) => view.iterations > 3, { check: 'tool_call' }) });
    expectTypeOf<KindOf<typeof often>>().toEqualTypeOf<BaseKind | 'completed'>();
  });

  it('grow with what a resume brings', () => {
    const agent = defineAgent({ model, stopWhen: [loopDetection()] });
    const resume = () => agent.resume('r', { engine: {} as never, stopWhen: [maxToolCalls(9)] });
    expectTypeOf<KindOf<typeof resume>>().toEqualTypeOf<BaseKind | 'loop_detected' | 'max_tool_calls'>();
    const again = async () => (await agent.run('go')).resume({ stopWhen: [costBudget({ usd: 9 })] });
    expectTypeOf<KindOf<typeof again>>().toEqualTypeOf<BaseKind | 'loop_detected' | 'cost_budget'>();
  });

  it('grow with a sub-agent that asks people', () => {
    const asking = defineAgent({ model, tools: { plain: requireApproval(plain) } });
    const quiet = defineAgent({ model });
    const outer = () => runAgent({ model, prompt, tools: { asking: agentAsTool(asking) } });
    expectTypeOf<KindOf<typeof outer>>().extract<'interaction_pending'>().toEqualTypeOf<'interaction_pending'>();
    const calm = () => runAgent({ model, prompt, tools: { quiet: agentAsTool(quiet) } });
    expectTypeOf<KindOf<typeof calm>>().extract<'interaction_pending'>().toBeNever();
  });

  it('refuse a misspelt option, and are matched exhaustively', async () => {
    // @ts-expect-error stopwhen is no option
    void runAgent({ model, prompt, stopwhen: [] });
    const { termination } = await runAgent({ model, prompt, stopWhen: [loopDetection()] });
    // @ts-expect-error cost_budget cannot happen here
    match(termination, { cost_budget: () => 1, _: () => 2 });
    expectTypeOf(match(termination, { loop_detected: (t) => t.cycle.length, _: () => 0 })).toEqualTypeOf<number>();
  });
});

describe('an agent that hands over', () => {
  const refunded = defineTermination({
    kind: 'app.refunded',
    schema: z.object({ n: z.number() }),
    family: 'completion',
    category: 'success',
  });
  const refunds = defineAgent({ model, terminations: [refunded], stopWhen: [costBudget({ usd: 1 })] });
  const billing = defineAgent({
    model,
    output: z.object({ total: z.number() }),
    tools: { refunds: handOff(refunds), pay: requireApproval(plain) },
  });

  it('can end as every agent that the conversation can reach', () => {
    const run = () => runAgent({ model, prompt, tools: { billing: handOff(billing) }, stopWhen: [loopDetection()] });
    expectTypeOf<KindOf<typeof run>>().toEqualTypeOf<
      | BaseKind
      | 'loop_detected'
      | 'cost_budget'
      | 'app.refunded'
      | 'structured_output_exhausted'
      | 'interaction_pending'
    >();
    const none = () => runAgent({ model, prompt, tools: { billing: agentAsTool(refunds) } });
    expectTypeOf<KindOf<typeof none>>().toEqualTypeOf<BaseKind>();
  });

  it('has the evidence of kinds of their own, and their outputs', async () => {
    const result = await runAgent({ model, prompt, tools: { billing: handOff(billing) } });
    match(result.termination, {
      'app.refunded': ({ n }) => expectTypeOf(n).toEqualTypeOf<number>(),
      _: () => undefined,
    });
    expectTypeOf(result.output).toEqualTypeOf<string | { total: number } | undefined>();
  });
});

describe('prepareStep and repairToolCall', () => {
  it('see what there is and return what may be different', () => {
    defineAgent({
      model,
      prepareStep: ({ messages, costUsd, toolCalls }) => {
        expectTypeOf(messages).toEqualTypeOf<readonly ModelMessage[]>();
        expectTypeOf(costUsd).toEqualTypeOf<number | null>();
        return toolCalls.length > 3
          ? { toolChoice: 'none', settings: { temperature: 0, reasoning: 'low' } }
          : undefined;
      },
      repairToolCall: async ({ problem, inputText }) => {
        expectTypeOf(problem).toEqualTypeOf<'unknown_tool' | 'bad_arguments'>();
        return inputText === undefined ? undefined : { input: { text: inputText } };
      },
    });
    // @ts-expect-error there is no such setting
    defineAgent({ model, prepareStep: () => ({ settings: { temprature: 0 } }) });
  });
});
