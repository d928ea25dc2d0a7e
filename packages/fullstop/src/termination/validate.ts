import { at, type CheckContext, found, listOf, rejectUnknown, text } from './check.js';
import type { ValueIssue } from './errors/fullstop-error.js';
import { isObject } from './json.js';
import type { TerminationRegistry } from './registry.js';
import { suggestion } from './text/suggestion.js';

/** How strictly a termination is read. */
export interface ValidationRules {
  readonly registry: TerminationRegistry;
  /** The treatment of fields that a kind does not have. */
  readonly unknownFields: 'keep' | 'reject';
  /** The treatment of kinds that nobody registered, such as those of a newer version. */
  readonly unknownKinds: 'keep' | 'reject';
  /** The key that issues name where a kind is wrong; `kind` unless given. */
  readonly discriminant?: string;
}

const cutNotes = listOf(text);

/** Lists everything that keeps a value from being a termination. The value must be within the size limits. */
export function validate(value: unknown, rules: ValidationRules): readonly ValueIssue[] {
  const context: RulesContext = { issues: [], unknownFields: rules.unknownFields, checkTermination, rules };
  checkTermination(value, '', context);
  return context.issues;
}

interface RulesContext extends CheckContext {
  readonly rules: ValidationRules;
}

function checkTermination(value: unknown, path: string, context: CheckContext): void {
  const { rules } = context as RulesContext;
  if (!isObject(value)) {
    context.issues.push({ code: 'invalid', path, message: `expected a termination, found ${found(value)}` });
    return;
  }
  const kind = Object.hasOwn(value, 'kind') ? value['kind'] : undefined;
  if (typeof kind !== 'string') {
    const kindPath = at(path, rules.discriminant ?? 'kind');
    const expected = 'expected the kind of a termination';
    context.issues.push(
      kind === undefined
        ? { code: 'missing', path: kindPath, message: `missing, ${expected}` }
        : { code: 'invalid', path: kindPath, message: `${expected}, found ${found(kind)}` },
    );
    return;
  }
  const cut = Object.hasOwn(value, 'cut') ? value['cut'] : undefined;
  if (cut !== undefined) cutNotes.run(cut, at(path, 'cut'), context);
  const entry = rules.registry.find(kind);
  if (entry === undefined) {
    if (rules.unknownKinds === 'keep') return;
    const hint = suggestion(kind, rules.registry.kinds);
    context.issues.push({
      code: 'unknown_kind',
      path: at(path, rules.discriminant ?? 'kind'),
      message: `unknown kind ${JSON.stringify(kind.slice(0, 80))}${hint}`,
    });
    return;
  }
  entry.check(value, path, context);
  if (rules.unknownFields === 'reject' && entry.fields !== undefined) {
    const { kind: _kind, cut: _cut, ...fields } = value;
    rejectUnknown(fields, path, entry.fields, context);
  }
}
