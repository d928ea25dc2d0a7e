import { createCodec, createRegistry, defineTermination, describe, match, tagOf, terminations } from 'fullstop';
import { z } from 'zod';

// Any Standard Schema will do: zod, valibot, arktype …
const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number().int().nonnegative() }),
  family: 'completion',
  category: 'success',
  describe: (fields) => `The books were reconciled with ${fields.findings} findings.`,
});

const closeBooks = (findings: number | undefined) =>
  findings === undefined ? terminations.cancelled({ by: 'caller' }) : reconciled({ findings });

// The kind becomes part of the type by inference; nothing is declared globally.
const ending = closeBooks(4);
console.log(
  match(ending, {
    'billing.reconciled': (t) => `findings: ${t.findings}`,
    cancelled: (t) => `cancelled by ${t.by}`,
  }),
);

const registry = createRegistry([reconciled]);
console.log(tagOf(ending, { registry }), '·', describe(ending, registry));

const codec = createCodec({ registry });
const text = codec.encode(ending);
console.log(text);
console.log(codec.decode(text));

const broken = codec.safeDecode('{"kind":"billing.reconciled","findings":-1}');
console.log(broken.ok ? broken.termination : broken.issues);
