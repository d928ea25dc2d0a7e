import type { Ending } from './ending.js';
import { reasonOf } from './incomplete.js';
import { actionOfCategory } from './kinds/extension.js';
import type { BuiltInKind, Unlisted } from './kinds.js';
import type { RegisteredKind, TerminationRegistry } from './registry.js';
import { colonText, inline, sentence } from './text/wording.js';

/** The kinds of third parties that a type lists. Where it lists none, or says that any may come, nobody can be asked to know them. */
type ThirdPartyKind<TKind extends string> = string extends TKind
  ? never
  : Unlisted['kind'] extends TKind
    ? never
    : Exclude<TKind, BuiltInKind>;

/** The last argument of a question about an ending: required where only a definition has the answer. */
export type RegistryFor<TEnding extends Ending> = [ThirdPartyKind<TEnding['kind']>] extends [never]
  ? [registry?: TerminationRegistry | undefined]
  : [registry: TerminationRegistry];

/** Everything about the kind of an ending; one that the registry does not know is read as far as the data says it. */
export function kindOf(termination: Ending, registry: TerminationRegistry): RegisteredKind {
  return registry.find(termination.kind) ?? unregisteredKind(termination.kind);
}

/** Nobody here knows what it means, so it is for an operator to look at. */
function unregisteredKind(kind: string): RegisteredKind {
  return {
    kind,
    family: 'extension',
    tag: kind,
    fields: undefined,
    dialects: {},
    category: () => 'fatal',
    outcome: () => 'failed',
    open: () => true,
    describe: (t) => sentence(`Ended as ${inline(kind)}, a kind that is not registered here${colonText(reasonOf(t))}`),
    nextAction: () => actionOfCategory.fatal,
    check: () => undefined,
  };
}
