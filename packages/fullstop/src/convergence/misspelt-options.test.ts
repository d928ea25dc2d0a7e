import { describe, expect, it } from 'vitest';
import { converge } from './converge.js';
import { criterion } from './criterion.js';
import { defineConvergence } from './define-convergence.js';
import { family } from './family.js';
import { gate } from './gate.js';
import { semantic } from './invariant.js';
import { promotionGate } from './promotion-gate.js';
import { suggestor } from './suggestor.js';

const base = { suggestors: [] };

describe('options that cannot be meant are refused', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['invariant', () => defineConvergence({ ...base, invariant: [] } as never), /did you mean "invariants"/],
    ['budget', () => defineConvergence({ ...base, budget: { cycles: 1 } } as never), /did you mean "budgets"/],
    ['no suggestors', () => defineConvergence({} as never), /suggestors.*must be a list/],
    ['whileOpen', () => defineConvergence({ ...base, whileOpen: 'contine' as never }), /did you mean "continue"/],
    ['onConflict', () => defineConvergence({ ...base, onConflict: 'foo' as never }), /"reject" or "end"/],
    ['secrets', () => defineConvergence({ ...base, secrets: { KEY: 'value' } as never }), /createSecrets/],
    ['output', () => defineConvergence({ ...base, output: 'x' as never }), /output.*must be a function/],
    ['oscillation', () => defineConvergence({ ...base, oscillation: { contents: 0 } }), /contents/],
    ['oscillation', () => defineConvergence({ ...base, oscillation: { rejection: 3 } as never }), /"rejections"/],
    [
      'intent',
      () =>
        defineConvergence({
          ...base,
          intent: { criteria: [criterion('c', () => true)], evaluate: 'everycycle' as never },
        }),
      /did you mean "every_cycle"/,
    ],
    ['gate', () => gate({ confidenceAtmost: 0.5 } as never), /did you mean "confidenceAtMost"/],
    ['gate', () => gate({ deadline: '1d', onExpiry: 'aprove' as never }), /did you mean "approve"/],
    ['suggestor', () => suggestor('s', { dependOn: ['x'], execute: () => 1 } as never), /did you mean "dependsOn"/],
    ['suggestor', () => suggestor('s', { timeout: 0, execute: () => 1 }), /timeout is 0; it must be a number above 0/],
    ['suggestor', () => suggestor('s', { timeout: Number.NaN, execute: () => 1 }), /timeout is NaN/],
    ['suggestor', () => suggestor('s', { retry: { attempts: 0 }, execute: () => 1 }), /retry\.attempts is 0/],
    ['suggestor', () => suggestor('s', {} as never), /execute.*must be a function/],
    ['criterion', () => criterion('c', () => true, { require: false } as never), /did you mean "required"/],
    ['semantic', () => semantic('s', () => true, { repair: 2 } as never), /did you mean "repairs"/],
    ['promotionGate', () => promotionGate('p', () => true, { fatl: true } as never), /did you mean "fatal"/],
    ['family', () => family('f', { versoin: 2 } as never), /did you mean "version"/],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: expect.stringMatching(/^INVALID_(OPTION|LIMIT)$/) }));
  });

  it('by converge too', () => {
    expect(() => converge({ ...base, invariant: [] } as never)).toThrow(/did you mean "invariants"/);
  });
});
