import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JournalledDirective } from '../machine/state.js';
import { type Directive, directiveOf } from '../options/directive.js';
import type { AgentHooks } from '../options/hooks.js';

/** The verdict of a hook. */
export interface HookVerdict {
  readonly directive?: JournalledDirective;
  readonly injected?: string;
  readonly blocked?: { readonly code: string; readonly reason: string };
  readonly transformed?: { readonly value: unknown };
}

type HookName = Exclude<keyof AgentHooks, 'name' | 'onEnd'>;
type ViewOf<THook extends HookName> = Parameters<NonNullable<AgentHooks[THook]>>[0];
type HookDirective = NonNullable<ReturnType<typeof directiveOf>>;
type VerdictName = HookDirective['type'] & string;

const nothing: HookVerdict = {};

/** The verdicts that each hook may return, as in its type in `AgentHooks`. */
const allowed: Readonly<Record<HookName, readonly VerdictName[]>> = {
  onPrompt: ['inject', 'transform', 'halt', 'finish'],
  beforeIteration: ['inject', 'halt', 'finish'],
  beforeModel: ['inject', 'halt', 'finish'],
  afterModel: ['inject', 'transform', 'halt', 'finish'],
  beforeTool: ['transform', 'block', 'halt', 'finish'],
  afterTool: ['transform', 'halt', 'finish'],
  beforeCompaction: ['block', 'halt', 'finish'],
  afterCompaction: ['inject', 'halt', 'finish'],
  afterIteration: ['inject', 'halt', 'finish'],
};

/** The hooks that there are. */
export const hookNames: readonly (HookName | 'onEnd')[] = [...(Object.keys(allowed) as HookName[]), 'onEnd'];

/** Asks a hook. One that throws, or returns a verdict that means nothing in its place, fails the run: a guard never lets anything pass by mistake. */
export async function askHook<THook extends HookName>(
  hooks: AgentHooks | undefined,
  hook: THook,
  view: ViewOf<THook>,
): Promise<HookVerdict> {
  if (hooks?.[hook] === undefined) return nothing;
  const name = `${hooks.name ?? 'hooks'}.${hook}`;
  try {
    const given = await (hooks[hook] as (given: object) => unknown).call(hooks, view);
    if (given === undefined || given === null) return nothing;
    const said = directiveOf(given);
    if (said !== undefined && isAllowed(hook, said)) return verdictOf(checkTexts(hook, said), name);
    throw new FullstopError(
      'INVALID_OPTION',
      `it returned ${said?.type ?? found(given)}; it may return ${allowed[hook].join(', ')} or nothing`,
    );
  } catch (error) {
    return { directive: { type: 'fail', hook: name, error: toErrorData(error), stops: true } };
  }
}

function isAllowed(hook: HookName, { type }: HookDirective): boolean {
  return allowed[hook].includes(type);
}

/** The hooks whose `transform` replaces a text. */
const ofTexts: readonly HookName[] = ['onPrompt', 'afterModel'];

/** Refuses anything but text where the model or the ending shows it. */
function checkTexts(hook: HookName, said: HookDirective): HookDirective {
  const fields = ofTexts.includes(hook) ? ['code', 'reason', 'text', 'value'] : ['code', 'reason', 'text'];
  for (const field of fields) {
    const value: unknown = field in said ? (said as unknown as Record<string, unknown>)[field] : '';
    if (typeof value !== 'string')
      throw new FullstopError(
        'INVALID_OPTION',
        `the ${field} of its ${said.type} is ${found(value)}; it must be a text`,
      );
  }
  return said;
}

function haltVerdict(name: string, reason: string): HookVerdict {
  return { directive: { type: 'halt', by: 'hook', name, reason } };
}

function verdictOf(said: Directive & { readonly type: string }, name: string): HookVerdict {
  switch (said.type) {
    case 'halt':
      return haltVerdict(name, 'reason' in said ? String(said.reason) : '');
    case 'finish': {
      const reason = 'reason' in said && said.reason !== undefined ? { reason: said.reason } : {};
      return { directive: { type: 'finish', plugin: name, ...reason } };
    }
    case 'inject':
      return 'text' in said ? { injected: said.text } : nothing;
    case 'block':
      return 'code' in said ? { blocked: { code: said.code, reason: said.reason } } : nothing;
    case 'transform':
      return 'value' in said ? { transformed: { value: said.value } } : nothing;
    default:
      throw new FullstopError('INVALID_OPTION', `it returned ${said.type}, which means nothing here`);
  }
}
