import { submit } from '../../agent/options/directive.js';
import { goal } from '../../agent/options/goal.js';
import { mayExpire } from '../../agent/options/permissions.js';
import type { ToolLike } from '../../agent/tools/tool.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import type { BuiltInScenario, MakeScenario, Subject } from './ending-scenario.js';
import { callOf, standInTools, toolNames } from './stand-in-tools.js';

/** The scenarios of the kinds that tools, a goal, a schema or permissions add. */
export const addedScenarios: Readonly<Record<string, MakeScenario>> = {
  interaction_pending: askingScenario,
  gate_expired: expiringScenario,
  submitted: submittingScenario,
  completed: ({ options }) => ({
    answers: [{ ...callOf(toolNames(options)[0] as string), text: 'done' }],
    options: { goal: goal(() => true, { check: options.goal?.check ?? 'iteration' }) },
  }),
  schema_validation: ({ options }) => ({ answers: [misfit], options: { output: options.output } }),
  structured_output_exhausted: ({ options }) => ({ answers: [misfit], options: { output: options.output } }),
};

/** Not even JSON, so that it fits hardly any schema. */
const misfit: ScriptAnswer = { text: 'This is no JSON.' };

function askingScenario({ options }: Subject): BuiltInScenario | string {
  const found = Object.entries(options.tools ?? {}).find(([name, tool]) => asks(tool) || isAsked(options, name));
  return found === undefined ? 'no tool of it asks a person' : asking(options, found);
}

function expiringScenario({ options }: Subject): BuiltInScenario | string {
  const { permissions = {} } = options;
  const found = Object.entries(options.tools ?? {}).find(([name, { approval, client, ...tool }]) => {
    const terms = approval ?? client ?? (asks(tool) || isAsked(options, name) ? permissions.approval : undefined);
    return terms !== undefined && mayExpire(terms);
  });
  if (found === undefined) return 'no tool of it has a deadline that ends the run';
  return { ...asking(options, found), performance: 'outwait' };
}

/** The tool asks as it always does; where only its code knows whether it asks, a stand-in does. */
function asking(options: Subject['options'], [name, tool]: readonly [string, ToolLike]): BuiltInScenario {
  const { approval, client } = tool;
  const isClient = tool.execute === undefined && tool.agent === undefined;
  const standIn: ToolLike = isClient
    ? { inputSchema: { type: 'object' }, ...(client !== undefined && { client }) }
    : {
        inputSchema: { type: 'object' },
        execute: () => 'done',
        needsApproval: true,
        ...((approval ?? options.permissions?.approval) !== undefined && {
          approval: approval ?? options.permissions?.approval,
        }),
      };
  return { answers: [callOf(name)], options: { tools: { [name]: standIn } } };
}

function asks({ execute, agent, needsApproval, pauses }: ToolLike): boolean {
  const isClient = execute === undefined && agent === undefined;
  return isClient || pauses === true || needsApproval === true || typeof needsApproval === 'function';
}

function isAsked({ permissions = {} }: Subject['options'], name: string): boolean {
  return permissions.ask?.includes(name) === true;
}

function submittingScenario({ options, output }: Subject): BuiltInScenario | string {
  const found = Object.entries(options.tools ?? {}).find(([, tool]) => tool.submits === true);
  if (found === undefined) return 'whether a function returns submit(…) is known to its type only';
  const [name] = found;
  return {
    answers: [callOf(name)],
    options: { tools: standInTools(options, (input) => submit((output ?? input) as never)) },
  };
}
