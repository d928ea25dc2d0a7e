import { setTimeout as sleep } from 'node:timers/promises';
import { defineConvergence } from '../../packages/fullstop/src/convergence/define-convergence.js';
import { fact } from '../../packages/fullstop/src/convergence/facts/fact.js';
import { gate } from '../../packages/fullstop/src/convergence/options/gate.js';
import { type SuggestorContext, suggestor } from '../../packages/fullstop/src/convergence/options/suggestor.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { sayAtWork } from './workers.js';

export interface Order {
  readonly lines: number;
}

/** Takes a moment, so that processes are killed in the middle of cycles too. */
function slowly(work: (context: SuggestorContext) => void): (context: SuggestorContext) => Promise<void> {
  return async (context) => {
    sayAtWork();
    await sleep(Math.random() * 15);
    work(context);
  };
}

/** Orders whose prices and payments need a person each: two rounds of gates, with free facts between them. */
export const purchase = defineConvergence({
  name: 'purchase',
  seed: ({ lines }: Order) => Array.from({ length: lines }, (_, n) => fact('line', { n }, { id: `l${n}` })),
  suggestors: [
    suggestor('pricer', {
      dependsOn: ['line'],
      execute: slowly(({ facts, propose }) => {
        for (const { id } of facts.get('line')) propose('price', { line: id, usd: 100 }, { id, confidence: 0.5 });
      }),
    }),
    suggestor('clerk', {
      dependsOn: ['line'],
      execute: slowly(({ facts, propose }) => propose('note', { lines: facts.get('line').length }, { id: 'received' })),
    }),
    suggestor('payer', {
      dependsOn: ['price'],
      execute: slowly(({ facts, propose }) => {
        for (const { id } of facts.get('price')) propose('payment', { line: id }, { id });
      }),
    }),
  ],
  gates: [gate({ key: 'price' }), gate({ key: 'payment' })],
});

/** A process that executes runs until it is killed. */
export function work(file: string): void {
  sqliteEngine(file, { pollMs: 20 }).worker([purchase], { concurrency: 6 });
}
