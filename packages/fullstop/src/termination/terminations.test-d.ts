import { expectTypeOf, it } from 'vitest';
import type { FieldsOf } from './ending.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Custom } from './kinds/extension.js';
import type { MaxIterations, TimeBudget } from './kinds/limit.js';
import type { AnyTermination, BuiltInKind, Termination } from './kinds.js';
import { isTermination, type Terminations, terminations } from './terminations.js';

it('returns the one named interface of the kind', () => {
  expectTypeOf(terminations.maxIterations({ limit: 1, used: 1 })).toEqualTypeOf<MaxIterations>();
  expectTypeOf<Termination<'max_iterations'>>().toEqualTypeOf<MaxIterations>();
  expectTypeOf(terminations.custom({ reason: '', category: 'fatal' })).toEqualTypeOf<Custom>();
});

it('has a constructor for each kind, in camel case', () => {
  expectTypeOf<Terminations[keyof Terminations]['kind']>().toEqualTypeOf<BuiltInKind>();
  expectTypeOf(terminations.humanInterventionRequired.kind).toEqualTypeOf<'human_intervention_required'>();
  // @ts-expect-error no such kind
  terminations.outOfLuck;
});

it('requires the required fields and no others', () => {
  // @ts-expect-error used is missing
  terminations.maxToolCalls({ limit: 1 });
  // @ts-expect-error evidence is missing
  terminations.maxToolCalls();
  // @ts-expect-error there is no such field
  terminations.maxToolCalls({ limit: 1, used: 1, unit: 'call' });
  // @ts-expect-error a limit is a number
  terminations.maxToolCalls({ limit: '1', used: 1 });
  // @ts-expect-error the kind is known already
  terminations.maxToolCalls({ kind: 'max_tool_calls', limit: 1, used: 1 });
  // @ts-expect-error not a class of failures
  terminations.failed({ error: { name: '', message: '' }, origin: 'tool', errorClass: 'external!' });
  // @ts-expect-error an Error is not data
  terminations.terminated({ status: 'failed', reason: '', by: '', output: new Error('x') });
});

it('lets optional fields and those with defaults be left out', () => {
  terminations.naturalEnd();
  terminations.naturalEnd({});
  terminations.skipped();
  terminations.skipped({ reason: 'empty' });
  terminations.promptTooLong({ limit: 1 });
  terminations.maxIterations({ limit: 1, used: 1, unit: 'turn' });
  expectTypeOf(terminations.timeBudget({ limitMs: 1, elapsedMs: 1 })).toEqualTypeOf<TimeBudget>();
  // @ts-expect-error not a scope
  terminations.timeBudget({ limitMs: 1, elapsedMs: 1, scope: 'day' });
});

it('keeps optional fields optional and everything readonly', () => {
  expectTypeOf<FieldsOf<Custom>>().toEqualTypeOf<{
    readonly reason: string;
    readonly category: Custom['category'];
    readonly tag?: string;
    readonly properties?: JsonObject;
  }>();
  expectTypeOf<FieldsOf<Termination<'submitted'>>>().toEqualTypeOf<{
    readonly tool: string;
    readonly deliverable?: JsonValue;
  }>();
  const t = terminations.maxIterations({ limit: 1, used: 1 });
  // @ts-expect-error a termination does not change
  t.limit = 2;
});

it('narrows with is in both branches', () => {
  const t = {} as Termination<'natural_end' | 'max_iterations'>;
  if (terminations.maxIterations.is(t)) expectTypeOf(t).toEqualTypeOf<MaxIterations>();
  else expectTypeOf(t).toEqualTypeOf<Termination<'natural_end'>>();
  const any = {} as AnyTermination;
  if (terminations.maxIterations.is(any)) expectTypeOf(any.limit).toEqualTypeOf<number>();
});

it('narrows anything to a termination', () => {
  const value = {} as unknown;
  if (isTermination(value)) expectTypeOf(value).toEqualTypeOf<Termination>();
});

it('is assignable to the places that take any termination', () => {
  expectTypeOf<Termination>().toExtend<AnyTermination>();
  expectTypeOf<Termination<'cancelled'>['cause']>().toEqualTypeOf<AnyTermination | undefined>();
});
