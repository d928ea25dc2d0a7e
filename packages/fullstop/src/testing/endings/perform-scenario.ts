import type { Agent, AgentResult, AgentRunOptions } from '../../agent/agent.js';
import { defineAgent } from '../../agent/define-agent.js';
import type { AgentOptions, AnyAgentOptions } from '../../agent/options/agent-options.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { host } from '../../engines/port/host.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { sweepAbandoned } from '../../run/process/sweep.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { listOf } from '../../stop/resume-conditions.js';
import type { Ending } from '../../termination/ending.js';
import { checkPresent } from '../check.js';
import { type SimulatedClock, simulatedClock } from '../simulated-clock.js';
import type { BuiltInScenario, EndingScenario, Subject } from './ending-scenario.js';
import { standInTools } from './stand-in-tools.js';

/** Far above what any scenario needs: the usual limit of 50 must not come first. */
const manyIterations = 100_000;
const dayMs = 86_400_000;
const input = 'go';

/** Runs a scenario of the agent's own: its code is executed, only the model is scripted. */
export async function performOwnScenario(
  options: AnyAgentOptions,
  { answers, options: other = {}, input: asked = input, run = {} }: EndingScenario,
): Promise<AgentResult<Ending>> {
  const clock = run.clock ?? simulatedClock();
  const model = scriptedModel(answers, { clock });
  return await agentOf({ ...options, fallbackModels: [], ...other, model }).run(asked, { clock, ...run });
}

/** Runs a built-in scenario with stand-ins for all code of the agent. */
export async function performScenario(subject: Subject, scenario: BuiltInScenario): Promise<AgentResult<Ending>> {
  const clock = simulatedClock();
  const abort = new host.AbortController();
  const model = scriptedModel(scenario.answers, {
    clock,
    exhausted: 'repeat-last',
    onCall: () => scenario.performance === 'abort' && abort.abort('no longer needed'),
  });
  const agent = agentOf({ ...plainOptions(subject.options), ...withRoom(scenario), model });
  switch (scenario.performance) {
    case 'abandon':
      return await abandonedRun(agent, clock);
    case 'outwait':
      return await agent.run(input, { clock, onPause: 'wait' });
    default:
      return await agent.run(input, { clock, signal: abort.signal } as AgentRunOptions);
  }
}

function agentOf(options: AnyAgentOptions): Agent<Ending> {
  return defineAgent(options as unknown as AgentOptions) as unknown as Agent<Ending>;
}

/** The options without any code, by name: an option that is new has to be looked at before it is here. */
function plainOptions(options: AnyAgentOptions): Omit<AnyAgentOptions, 'model'> {
  const { name, version, settings, instructions, raiseOutputCap, roundsPerIteration, output, repair } = options;
  const { terminations, customTags, treatAsSuccess, retry, wrapUp } = options;
  const kept = { name, version, settings, instructions, raiseOutputCap, roundsPerIteration, output, repair };
  const given = Object.entries({ ...kept, terminations, customTags, treatAsSuccess, retry, wrapUp });
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    tools: standInTools(options, () => 'done'),
    allowUnknownPrices: true,
  };
}

function withRoom({ options = {} }: BuiltInScenario): Partial<AnyAgentOptions> {
  const stopWhen = listOf(options.stopWhen ?? []);
  const isLimited = stopWhen.some((condition) => condition.kinds.includes('max_iterations'));
  return { ...options, stopWhen: isLimited ? stopWhen : [...stopWhen, maxIterations(manyIterations)] };
}

/** A run whose process disappears after its first step, and which is found by a sweep a day later. */
async function abandonedRun(agent: Agent<Ending>, clock: SimulatedClock): Promise<AgentResult<Ending>> {
  const before = memoryEngine({ clock });
  const { runId } = await agent.run(input, { engine: before });
  const journal = await before.journal(runId);
  const engine = memoryEngine({ clock });
  const ended = journal.findIndex(({ type }) => type === 'step_ended');
  await engine.importRun(journal.slice(0, ended + 1));
  await clock.advance(dayMs);
  await sweepAbandoned(engine, [agent], { olderThanMs: dayMs / 2 });
  return checkPresent(await agent.result(runId, { engine }), 'the ending of the abandoned run');
}
