import { checkOptions, oneWord } from '../../stop/check-option.js';
import { durationLimit } from '../../stop/duration.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { RequestTerms } from '../machine/rules.js';
import type { ApprovalTerms, ToolLike } from '../tools/tool.js';

/**
 * Which tools may be called. `deny` is stronger than everything else, then come `readOnly`, `allow` and `ask`. A tool that
 * may not be called is not offered to the model either, and refused if it is called nevertheless.
 */
export interface AgentPermissions {
  /** Only these and those of `ask`, when given. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** A person has to agree to every call of these. */
  readonly ask?: readonly string[];
  /** Only tools that are marked as `readOnly`. */
  readonly readOnly?: boolean;
  /** The terms of approvals of tools that have none of their own. */
  readonly approval?: ApprovalTerms;
}

/** The permission of one tool. */
export type Permission = 'allowed' | 'ask' | { readonly denied: string };

export function permissionOf(permissions: AgentPermissions, name: string, tool: ToolLike): Permission {
  const { allow, deny = [], ask = [], readOnly = false } = permissions;
  if (deny.includes(name)) return { denied: 'it is on the list of denied tools' };
  if (readOnly && tool.readOnly !== true) return { denied: 'only tools that read may be called' };
  if (ask.includes(name)) return 'ask';
  if (allow !== undefined && !allow.includes(name)) return { denied: 'it is not on the list of allowed tools' };
  return 'allowed';
}

/** Refuses names that no tool has: a misspelt denial would deny nothing. */
export function checkPermissions(permissions: AgentPermissions, tools: readonly string[]): void {
  const { allow = [], deny = [], ask = [], approval } = permissions;
  for (const [list, names] of Object.entries({ allow, deny, ask })) {
    for (const name of names) {
      if (tools.includes(name)) continue;
      throw new FullstopError(
        'INVALID_OPTION',
        `permissions: ${list} names ${JSON.stringify(name)}, but there is no such tool${suggestion(name, tools)}.`,
      );
    }
  }
  if (approval !== undefined) readTerms(approval, 'permissions');
}

/** The terms of a request, checked and with times in milliseconds. */
export function readTerms(terms: ApprovalTerms, builder: string): RequestTerms {
  const { deadline, onExpiry, escalation } = checkOptions(terms, builder, ['deadline', 'onExpiry', 'escalation']);
  if (onExpiry !== undefined)
    oneWord(onExpiry, { builder, option: 'onExpiry' }, ['end', 'reject', 'approve', 'escalate']);
  if (onExpiry === 'escalate' && escalation === undefined) {
    throw new FullstopError('INVALID_OPTION', `${builder}: an approval that escalates needs an escalation: { to }.`);
  }
  const later = escalation?.deadline;
  return {
    ...(deadline !== undefined && { deadlineMs: durationLimit(deadline, { builder, option: 'deadline' }) }),
    ...(onExpiry !== undefined && { onExpiry }),
    ...(escalation !== undefined && {
      escalation: {
        to: escalation.to,
        ...(later !== undefined && {
          deadlineMs: durationLimit(later, { builder, option: 'escalation.deadline' }),
        }),
      },
    }),
  };
}

/** True when nobody's answer can end the run. */
export function mayExpire({ deadline, onExpiry = 'end' }: ApprovalTerms): boolean {
  return deadline !== undefined && onExpiry !== 'approve' && onExpiry !== 'reject';
}
