import { z } from 'zod';
import type { RunContext } from '../run/run-context.js';
import { defineTermination } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { Runnable, RunnableEnd } from './perform/using.js';

/** Something that ends as it is told, one ending after the other; the last one stays. */
export function ending<TOutput>(
  ...ends: readonly [RunnableEnd<TOutput>, ...RunnableEnd<TOutput>[]]
): Runnable<unknown, TOutput> & { readonly inputs: unknown[] } {
  const inputs: unknown[] = [];
  return {
    name: 'loop',
    kinds: ends.map(({ termination }) => termination.kind),
    inputs,
    async within(context: RunContext, input: unknown) {
      const index = await context.step('turn', () => inputs.push(input) - 1);
      return ends[Math.min(index, ends.length - 1)] as RunnableEnd<TOutput>;
    },
  };
}

export const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number() }),
  family: 'completion',
  category: 'success',
});

export const blocked = defineTermination({
  kind: 'billing.blocked',
  schema: z.object({ by: z.string() }),
  family: 'external',
  category: 'capacity',
  tag: 'blocked',
});

/** Waits until it is told to stop. */
export function untilAborted({ context }: { readonly context: RunContext }): Promise<never> {
  return new Promise((_, reject) => {
    context.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}

export function withoutStack(termination: Ending): unknown {
  return JSON.parse(JSON.stringify(termination, (key, value) => (key === 'stack' ? undefined : value)));
}
