import * as v from 'valibot';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { category, family } from './classify.js';
import { createCodec } from './codec/codec.js';
import { type DefinedTermination, defineTermination } from './define-termination.js';
import type { CategoryOf, FamilyOf } from './ending.js';
import type { Termination, Unlisted } from './kinds.js';
import { createRegistry, type EndingOf, type TerminationRegistry } from './registry.js';
import { reconciled, throttled } from './third-party.fixture.js';

type Reconciled = ReturnType<typeof reconciled>;
type Throttled = ReturnType<typeof throttled>;

it('infers kind, fields, category and family from the definition', () => {
  expectTypeOf<Reconciled['kind']>().toEqualTypeOf<'billing.reconciled'>();
  expectTypeOf<Reconciled['findings']>().toEqualTypeOf<number>();
  expectTypeOf<CategoryOf<Reconciled>>().toEqualTypeOf<'success'>();
  expectTypeOf<FamilyOf<Reconciled>>().toEqualTypeOf<'completion'>();
  expectTypeOf<CategoryOf<Throttled>>().toEqualTypeOf<'retryable' | 'fatal'>();
  expectTypeOf(throttled.kind).toEqualTypeOf<'gateway.throttled'>();
  const registry = createRegistry([reconciled]);
  expectTypeOf(category(reconciled({ findings: 1 }), registry)).toEqualTypeOf<'success'>();
  expectTypeOf(family(reconciled({ findings: 1 }), registry)).toEqualTypeOf<'completion'>();
});

it('accepts what the schema accepts and returns what it returns', () => {
  const counted = defineTermination({
    kind: 'app.counted',
    schema: z.object({ count: z.number().default(0) }),
    family: 'limit',
    category: 'capacity',
  });
  expectTypeOf(counted()).toEqualTypeOf<DefinedTermination<'app.counted', { count: number }, 'capacity', 'limit'>>();
  expectTypeOf(counted({}).count).toEqualTypeOf<number>();
  // @ts-expect-error a count is a number
  counted({ count: 'many' });
  // @ts-expect-error findings are required
  reconciled();
  // @ts-expect-error there is no such field
  reconciled({ findings: 1, finding: 2 });
  // @ts-expect-error a termination does not change
  reconciled({ findings: 1 }).findings = 2;
});

it('needs a dot in the kind', () => {
  const rest = { schema: z.object({}), family: 'limit', category: 'capacity' } as const;
  // @ts-expect-error no dot
  defineTermination({ kind: 'counted', ...rest });
});

it('needs a family and categories that exist', () => {
  const schema = v.object({});
  // @ts-expect-error no such family
  defineTermination({ kind: 'app.x', schema, family: 'limits', category: 'capacity' });
  // @ts-expect-error no such category
  defineTermination({ kind: 'app.x', schema, family: 'limit', category: 'done' });
  // @ts-expect-error no such category
  defineTermination({ kind: 'app.x', schema, family: 'limit', category: () => 'done' });
});

it('narrows with is', () => {
  const t = {} as Termination<'natural_end'> | Reconciled | Throttled;
  if (reconciled.is(t)) expectTypeOf(t).toEqualTypeOf<Reconciled>();
  else expectTypeOf(t.kind).toEqualTypeOf<'natural_end' | 'gateway.throttled'>();
});

it('collects the endings of definitions', () => {
  expectTypeOf<EndingOf<typeof reconciled>>().toEqualTypeOf<Reconciled>();
  expectTypeOf<EndingOf<typeof reconciled | typeof throttled>>().toEqualTypeOf<Reconciled | Throttled>();
  expectTypeOf<EndingOf<string>>().toBeNever();
  expectTypeOf(createRegistry([reconciled, throttled])).toEqualTypeOf<TerminationRegistry<Reconciled | Throttled>>();
  expectTypeOf(createRegistry()).toEqualTypeOf<TerminationRegistry<never>>();
});

it('gives a codec the endings of its registry', () => {
  const codec = createCodec({ registry: createRegistry([reconciled]) });
  expectTypeOf(codec.decode('')).toEqualTypeOf<Termination | Reconciled>();
  const result = codec.safeDecode('');
  if (result.ok) expectTypeOf(result.termination).toEqualTypeOf<Termination | Reconciled>();
  else expectTypeOf(result.issues[0]?.path).toEqualTypeOf<string | undefined>();
  expectTypeOf(createCodec().decode('')).toEqualTypeOf<Termination>();
});

it('lists unknown kinds in what a lenient codec returns, so that matching needs _', () => {
  const codec = createCodec({ unknownKinds: 'keep' });
  expectTypeOf(codec.decode('')).toEqualTypeOf<Termination | Unlisted>();
});
