import { directiveOf } from './directive.js';
import type { AgentHooks } from './hooks.js';
import type { JournalledDirective } from './state.js';

/** What a hook said. */
export interface HookVerdict {
  readonly directive?: JournalledDirective;
  readonly injected?: string;
  readonly denied?: { readonly code: string; readonly reason: string };
  readonly transformed?: { readonly value: unknown };
}

type HookName = Exclude<keyof AgentHooks, 'name' | 'onEnd'>;

const nothing: HookVerdict = {};

/** Asks a hook. One that throws halts the run with its name; what it gives instead of a directive means nothing. */
export async function askHook(hooks: AgentHooks | undefined, hook: HookName, view: object): Promise<HookVerdict> {
  if (hooks?.[hook] === undefined) return nothing;
  const name = `${hooks.name ?? 'hooks'}.${hook}`;
  try {
    const said = directiveOf(await (hooks[hook] as (given: object) => unknown).call(hooks, view));
    return said === undefined ? nothing : verdictOf(said, name);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { directive: { type: 'halt', by: 'hook', name, reason } };
  }
}

function verdictOf(said: NonNullable<ReturnType<typeof directiveOf>>, name: string): HookVerdict {
  switch (said.type) {
    case 'halt':
      return { directive: { type: 'halt', by: 'hook', name, reason: 'reason' in said ? String(said.reason) : '' } };
    case 'finish': {
      const reason = 'reason' in said && said.reason !== undefined ? { reason: said.reason } : {};
      return { directive: { type: 'finish', plugin: name, ...reason } };
    }
    case 'inject':
      return 'text' in said ? { injected: said.text } : nothing;
    case 'deny':
      return 'code' in said ? { denied: { code: said.code, reason: said.reason } } : nothing;
    case 'transform':
      return 'value' in said ? { transformed: { value: said.value } } : nothing;
    default:
      return nothing;
  }
}
