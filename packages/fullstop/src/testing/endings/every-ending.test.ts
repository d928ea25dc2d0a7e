import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../agent/define-agent.js';
import { cases as fixtures, optionsOf, reconciled } from '../../agent/every-ending.fixture.js';
import { possibleKinds } from '../../agent/kinds.js';
import { goal } from '../../agent/options/goal.js';
import { submitTool } from '../../agent/tools/submit-tool.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { budgetPressure } from '../../stop/conditions/budget-pressure.js';
import { contentMatch } from '../../stop/conditions/content-match.js';
import { costBudget } from '../../stop/conditions/cost-budget.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../../stop/conditions/max-tool-calls.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import { stopOnTool } from '../../stop/conditions/stop-on-tool.js';
import { timeout } from '../../stop/conditions/timeout.js';
import { match } from '../../termination/match.js';
import { terminations } from '../../termination/terminations.js';
import { everyEnding } from './every-ending.js';

const neverAsked = scriptedModel(() => {
  throw new Error('the model of the agent was asked');
});
const untouchable = {
  inputSchema: z.object({ query: z.string().min(3) }),
  execute: (): string => {
    throw new Error('a tool of the agent was executed');
  },
};

async function kindsOf({ cases }: ReturnType<typeof everyEnding>): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const { run } of cases) ended.push((await run()).termination.kind);
  return ended;
}

describe('everyEnding', () => {
  it('ends a plain agent with every kind that it can have, by real runs', async () => {
    const { cases, undriven } = everyEnding(defineAgent({ model: neverAsked }));
    expect(undriven).toEqual([]);
    expect(cases.map(({ kind }) => kind)).toEqual(possibleKinds({}));
    expect(await kindsOf({ cases, undriven })).toEqual(cases.map(({ kind }) => kind));
  });

  it.each(Object.entries(fixtures))('finds a scenario for %s from options that allow it', async (kind, fixture) => {
    const options = optionsOf(fixture);
    const { cases, undriven } = everyEnding(options, { output: { score: 7 } });
    expect([...cases, ...undriven].map((each) => each.kind).sort()).toEqual([...possibleKinds(options)].sort());
    const found = cases.find((each) => each.kind === kind);
    if (kind === 'custom' || kind === 'app.reconciled') {
      expect(undriven.find((each) => each.kind === kind)?.reason).toBe(
        'only the code of the agent knows when it ends so',
      );
    } else {
      expect((await found?.run())?.termination.kind).toBe(kind);
    }
  });

  it('executes no code of the agent: tools, hooks, goals, conditions, prompts', async () => {
    const refuse = (what: string) => () => {
      throw new Error(`${what} was executed`);
    };
    const agent = defineAgent({
      model: scriptedModel(refuse('the model')),
      fallbackModels: [scriptedModel(refuse('the fallback'))],
      tools: {
        search: { ...untouchable, needsApproval: refuse('needsApproval') },
        ask: requireApproval(untouchable, { deadline: '1h' }),
        hand: { ...submitTool(), execute: refuse('submit') as never },
        browser: { description: 'performed outside' },
      },
      permissions: { ask: ['search'] },
      hooks: { beforeModel: refuse('a hook'), onEnd: refuse('onEnd') },
      goal: goal(refuse('the goal'), { check: 'tool_call' }),
      promptFor: refuse('promptFor'),
      compaction: { strategies: [{ name: 'own', compact: refuse('compaction') }] },
      stopWhen: [
        maxIterations(3),
        maxToolCalls(120),
        costBudget({ usd: 0.25 }),
        budgetPressure(0.8),
        timeout({ run: '1h', iteration: '10m', model: '1m' }),
        stopOnTool('search', { succeeded: true }),
        contentMatch('FINAL'),
        stopCondition('own', refuse('a condition')),
      ],
      prices: { scripted: { inputPerMillion: 1, outputPerMillion: 1 } },
      output: z.object({
        score: z.number().min(4),
        tags: z.array(z.enum(['a', 'b'])).min(1),
        note: z.string().optional(),
      }),
    });
    const { cases, undriven } = everyEnding(agent);
    expect(undriven).toEqual([{ kind: 'custom', reason: 'only the code of the agent knows when it ends so' }]);
    expect(await kindsOf({ cases, undriven })).toEqual(cases.map(({ kind }) => kind));
    expect([...cases, ...undriven].map(({ kind }) => kind).sort()).toEqual([...agent.kinds].sort());
  });

  it('keeps the limits of the agent in the evidence, and shortens only those that would take long', async () => {
    const end = async (limit: number) => {
      const { cases } = everyEnding({ model: neverAsked, stopWhen: [maxIterations(limit)] });
      return (await cases.find(({ kind }) => kind === 'max_iterations')?.run())?.termination;
    };
    expect(await end(25)).toEqual({ kind: 'max_iterations', limit: 25, used: 25, unit: 'iteration' });
    expect(await end(1_000_000)).toMatchObject({ limit: 200, used: 200 });
  });

  it('has results with an output that fits the schema, for the arms that read it', async () => {
    const output = z.object({ score: z.number(), name: z.string() });
    const { cases } = everyEnding(defineAgent({ model: neverAsked, output }));
    const result = await cases.find(({ kind }) => kind === 'natural_end')?.run();
    expect(output.safeParse(result?.output).success).toBe(true);
  });

  it('says so where no output could be invented, and accepts one', async () => {
    const output = z.object({ id: z.string().regex(/^[A-Z]{3}-\d+$/) });
    const agent = defineAgent({ model: neverAsked, output, repair: 1 });
    const ended = (given: object) =>
      everyEnding(agent, given)
        .cases.find(({ kind }) => kind === 'natural_end')
        ?.run();
    await expect(ended({})).rejects.toThrow('Give everyEnding an output that fits the schema');
    expect((await ended({ output: { id: 'ABC-1' } }))?.output).toEqual({ id: 'ABC-1' });
  });

  it('lists what it cannot bring about, with the reason, and accepts an ending or a scenario for it', async () => {
    const agent = defineAgent({
      model: neverAsked,
      tools: { count: { execute: () => 1 } },
      terminations: [reconciled],
      stopWhen: [
        contentMatch({ regExp: /EN+D/ }),
        stopCondition(
          'enough',
          ({ toolCalls }) => toolCalls > 1 && terminations.custom({ reason: 'enough', category: 'success' }),
        ),
        stopCondition('reconciled', () => undefined, ['app.reconciled']),
      ],
    });
    expect(everyEnding(agent).undriven).toEqual([
      { kind: 'content_matched', reason: 'nobody can invent a text for a pattern' },
      { kind: 'custom', reason: 'only the code of the agent knows when it ends so' },
      { kind: 'app.reconciled', reason: 'only the code of the agent knows when it ends so' },
      { kind: 'submitted', reason: 'whether a function returns submit(…) is known to its type only' },
    ]);
    const call = { toolCalls: [{ tool: 'count' }] };
    const { cases, undriven } = everyEnding(agent, {
      scenarios: {
        content_matched: { answers: [{ text: 'the ENND' }] },
        custom: { answers: [call, call, { text: 'never said' }] },
        'app.reconciled': reconciled({ findings: 4 }),
      },
    });
    expect(undriven.map(({ kind }) => kind)).toEqual(['submitted']);
    const endingOf = async (kind: string) => (await cases.find((each) => each.kind === kind)?.run())?.termination;
    expect(await endingOf('content_matched')).toMatchObject({ kind: 'content_matched' });
    expect(await endingOf('custom')).toEqual({ kind: 'custom', reason: 'enough', category: 'success' });
    expect(await endingOf('app.reconciled')).toEqual({ kind: 'app.reconciled', findings: 4 });
  });

  it('rejects a scenario that ends in another way', async () => {
    const { cases } = everyEnding(
      { model: neverAsked },
      { scenarios: { provider_auth: { answers: [{ text: 'done' }] } } },
    );
    const refused = cases.find(({ kind }) => kind === 'provider_auth');
    await expect(refused?.run()).rejects.toThrow('the scenario of provider_auth ended as natural_end instead');
  });

  it('refuses scenarios for kinds that the agent cannot have, and what is no agent', () => {
    const model = neverAsked;
    expect(() => everyEnding({ model }, { scenarios: { converged: { answers: [] } } })).toThrow(
      'there is a scenario for "converged", but the agent can end with natural_end',
    );
    const failed = terminations.cancelled({ by: 'caller' });
    expect(() => everyEnding({ model }, { scenarios: { failed } })).toThrow('it must be an ending of kind failed');
    expect(() => everyEnding({} as never)).toThrow('it needs an agent that defineAgent made');
  });

  it('leads every arm of a match to its end', async () => {
    const agent = defineAgent({ model: neverAsked, tools: { ask: requireApproval(untouchable) } });
    const taken = new Set<string>();
    for (const { run } of everyEnding(agent, { scenarios: {} }).cases) {
      const { termination } = await run();
      match(termination, {
        natural_end: ({ kind }) => taken.add(kind),
        interaction_pending: ({ requests }) => requests.map(({ type }) => taken.add(type)),
        provider_failed: ({ attempts }) => taken.add(`failed after ${attempts}`),
        _: () => taken.add('anything else'),
      });
    }
    expect([...taken].sort()).toEqual(['anything else', 'approval', 'failed after 3', 'natural_end']);
  });
});
