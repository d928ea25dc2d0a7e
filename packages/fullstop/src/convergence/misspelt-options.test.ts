import { describe, expect, it } from 'vitest';
import { converge } from './converge.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import type { ConvergenceOptions } from './options/convergence-options.js';
import { criterion } from './options/criterion.js';
import { family } from './options/family.js';
import { type GateOptions, gate } from './options/gate.js';
import { acceptance, semantic, structural } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

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
    ['tags', () => defineConvergence({ ...base, customTags: 'x' as never }), /customTags is "x"; it must be a list/],
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
    [
      'a rule among the gates for people',
      () => defineConvergence({ ...base, gates: [promotionGate('p', () => true)] as never }),
      /gates\[0\] is an object; it must be made with gate\(…\); rules in code go to promotionGates/,
    ],
    [
      'a gate for people among the rules',
      () => defineConvergence({ ...base, promotionGates: [gate({ key: 'a' })] as never }),
      /promotionGates\[0\] is an object; it must be made with promotionGate\(…\)/,
    ],
    [
      'an invariant that is only a function',
      () => defineConvergence({ ...base, invariants: [() => true] as never }),
      /invariants\[0\] is a function; it must be made with structural\(…\), semantic\(…\) or acceptance\(…\)/,
    ],
    [
      'a suggestor that is only a function',
      () => defineConvergence({ suggestors: [() => 1] as never }),
      /suggestors\[0\] is a function; it must be made with suggestor\(…\)/,
    ],
    [
      'a criterion that is only a function',
      () => defineConvergence({ ...base, intent: { criteria: [() => true] as never } }),
      /intent: criteria\[0\] is a function; it must be made with criterion\(…\)/,
    ],
    [
      'a family for the key of a gate',
      () => gate({ key: family('decision') as never }),
      /gate: key is an object; it must be a letter followed by/,
    ],
    ['a gate for nobody', () => gate({ by: '' }), /gate: by is ""; it must be a text that is not empty/],
    [
      'a gate for a suggestor that there is not',
      () => defineConvergence({ suggestors: [suggestor('risk', { execute: () => 1 })], gates: [gate({ by: 'rsik' })] }),
      /gate: by is "rsik"; it must be "input" or "risk" \(did you mean "risk"\?\)/,
    ],
    [
      'gate',
      () => gate({ confidenceAtMost: null as never }),
      /confidenceAtMost is null; it must be a number from 0 to 1/,
    ],
    ['gate', () => gate({ confidenceAtMost: '0.5' as never }), /confidenceAtMost is "0.5"/],
    ['gate', () => gate({ when: true as never }), /gate: when is true; it must be a function/],
    ['gate', () => gate({ summary: 'x' as never }), /gate: summary is "x"; it must be a function/],
    [
      'an escalation that never comes',
      () => gate({ deadline: '1h', onExpiry: 'reject', escalation: { to: 'boss' } }),
      /gate: escalation is an object; it must be left out, because onExpiry is not "escalate"/,
    ],
    [
      'an escalation to nobody',
      () => gate({ deadline: '1h', onExpiry: 'escalate', escalation: { deadline: '1h' } as never }),
      /escalation: to is nothing; it must be a text/,
    ],
    [
      'suggestor',
      () => suggestor('s', { dependsOn: 'risk' as never, execute: () => 1 }),
      /suggestor s: dependsOn is "risk"; it must be a list/,
    ],
    [
      'suggestor',
      () => suggestor('s', { dependsOn: [undefined as never], execute: () => 1 }),
      /suggestor s: dependsOn\[0\] is nothing; it must be a letter followed by/,
    ],
    ['suggestor', () => suggestor('s', { accepts: true as never, execute: () => 1 }), /accepts is true.*a function/],
    [
      'suggestor',
      () => suggestor('s', { optional: 'no' as never, execute: () => 1 }),
      /optional is "no".*true or false/,
    ],
    [
      'suggestor',
      () => suggestor('s', { use: {} as never, input: () => 1, propose: () => 1 }),
      /use is an object; it must be an agent, a pipeline, a convergence or whatever else runs inside a run/,
    ],
    [
      'suggestor',
      () => suggestor('s', { retry: null as never, execute: () => 1 }),
      /retry is null; it must be an object/,
    ],
    [
      'suggestor',
      () => suggestor('s', { retry: { attempts: 2, facto: 3 } as never, execute: () => 1 }),
      /did you mean "factor"/,
    ],
    ['criterion', () => criterion('', () => true), /criterion: id is ""; it must be a text/],
    ['criterion', () => criterion('c', true as never), /criterion c: evaluate is true; it must be a function/],
    ['criterion', () => criterion('c', () => true, { required: 'no' as never }), /required is "no".*true or false/],
    ['structural', () => structural('s', true as never), /structural s: check is true; it must be a function/],
    ['acceptance', () => acceptance(undefined as never, () => true), /acceptance: name is nothing; it must be a text/],
    ['promotionGate', () => promotionGate('p', true as never), /promotionGate p: admit is true; it must be a function/],
    ['promotionGate', () => promotionGate('p', () => true, { fatal: 1 as never }), /fatal is 1.*true or false/],
    ['family', () => family('not a key'), /family: key is "not a key"; it must be a letter followed by/],
    [
      'family',
      () => family('f', { schema: {} as never }),
      /family f: schema is an object; it must be a Standard Schema/,
    ],
    [
      'a family that is only an object',
      () => defineConvergence({ ...base, families: [{ key: 'f' }] as never }),
      /families\[0\] is an object; it must be made with family\(…\)/,
    ],
    [
      'a key twice',
      () => defineConvergence({ ...base, keys: ['a', 'b', 'a'] }),
      /keys\[2\] is "a"; it must be .* once/,
    ],
    ['a key', () => defineConvergence({ ...base, keys: [1 as never] }), /keys\[0\] is 1; it must be a letter/],
    [
      'a fact under a key that cannot be',
      () => defineConvergence({ ...base, facts: [{ key: 'not a key', payload: 1 }] }),
      /A fact under "not a key": the key is "not a key"/,
    ],
    ['no fact', () => defineConvergence({ ...base, facts: [null as never] }), /A fact is null/],
    ['budgets', () => defineConvergence({ ...base, budgets: null as never }), /budgets is null; it must be an object/],
    ['budgets of 0', () => defineConvergence({ ...base, budgets: { cycles: 0 } }), /"no limit": leave it out for that/],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: expect.stringMatching(/^INVALID_(OPTION|LIMIT)$/) }));
  });

  it.each<[string, unknown, RegExp]>([
    ['a misspelt option', { ...base, invariant: [] }, /did you mean "invariants"/],
    ['no options', undefined, /suggestors/],
    ['null', null, /suggestors/],
  ])('by converge too, which rejects and never throws: %s', async (_, options, message) => {
    await expect(converge(options as never)).rejects.toThrow(message);
  });

  it.each<[string, unknown, RegExp]>([
    ['a misspelt field', { snapshto: {} }, /did you mean "snapshot"/],
    ['a text', 'facts', /an object with facts, snapshot/],
    ['null', null, /an object with facts, snapshot/],
    ['facts that are no list', { facts: {} }, /facts\?, snapshot\?/],
  ])('as the input of a run without a seed: %s', async (_, input, message) => {
    await expect(defineConvergence(base).run(input as never)).rejects.toThrow(message);
  });
});

const proposing = suggestor('proposing', {
  accepts: ({ cycle }) => cycle === 0,
  execute: ({ propose }) => propose('a', 1, { id: 'one' }),
});
const gated = (options: GateOptions) => ({ suggestors: [proposing], gates: [gate({ by: 'input' }), gate(options)] });
const accepting = (accepts: () => unknown) => ({
  suggestors: [suggestor('odd', { accepts: accepts as never, execute: () => 1 })],
});
const judging = (said: unknown) => ({ ...base, intent: { criteria: [criterion('done', () => said as never)] } });

describe('invalid verdicts are errors that name their source', () => {
  it.each<[string, ConvergenceOptions, RegExp]>([
    [
      'a list of facts from an invariant',
      { ...base, facts: [fact('a', 1)], invariants: [structural('none', (facts) => facts.get('a') as never)] },
      /The invariant "none" returned a list; it must return true, false, a reason, or breaches \{ reason, facts\? \}/,
    ],
    [
      'null from an invariant',
      { ...base, invariants: [acceptance('none', () => null as never)] },
      /The invariant "none" returned null/,
    ],
    [
      'nothing from a criterion',
      { ...base, intent: { criteria: [criterion('done', () => undefined as never)] } },
      /The criterion "done" returned nothing; it must return true, false, met\(…\), unmet\(…\) or blocked\(…\)/,
    ],
    ['a misspelt status', judging({ status: 'mett' }), /The criterion "done" returned an object; it must return true/],
    ['a block without a reason', judging({ status: 'blocked' }), /The criterion "done" returned an object/],
    [
      'a breach by what are no facts',
      { ...base, invariants: [structural('none', () => ({ reason: 'no', facts: 'a/1' }) as never)] },
      /The invariant "none" returned an object; it must return .* breaches \{ reason, facts\? \}/,
    ],
    [
      'nothing from the condition of a gate, which would let pass what nobody has seen',
      gated({ when: () => undefined as never }),
      /^gates\[1\]\.when returned nothing; it must return true or false\.$/,
    ],
    [
      'a summary that nobody can read',
      gated({ summary: () => ({}) as never }),
      /^gates\[1\]\.summary returned an object; it must return a text\.$/,
    ],
    [
      'nothing from a promotion gate',
      { suggestors: [proposing], promotionGates: [promotionGate('cap', () => undefined as never)] },
      /^The promotion gate "cap" returned nothing; it must return true, false or a reason\.$/,
    ],
    [
      'a number from accepts',
      accepting(() => 1),
      /^The accepts of the suggestor "odd" returned 1; it must return true or/,
    ],
    ['a promise from accepts', accepting(async () => true), /^The accepts of the suggestor "odd" returned/],
    [
      'one fact from a seed',
      { ...base, seed: () => fact('a', 1) as never },
      /^The seed returned an object; it must return a list of facts\.$/,
    ],
    [
      'no fact from a seed',
      { ...base, seed: () => [null as never] },
      /^The seed returned a list; it must return a list of/,
    ],
  ])('%s', async (_, options, message) => {
    const { termination } = await defineConvergence(options).run(undefined as never);
    expect(termination).toMatchObject({ kind: 'failed', error: { message: expect.stringMatching(message) } });
  });
});

describe('code that throws is named by the ending', () => {
  const boom = (): never => {
    throw Object.assign(new TypeError('boom'), { code: 'ECONNRESET' });
  };

  it.each<[string, ConvergenceOptions, string]>([
    ['a suggestor', { suggestors: [suggestor('risk', { execute: boom })] }, 'The suggestor "risk" failed: boom'],
    ['accepts', accepting(boom), 'The accepts of the suggestor "odd" failed: boom'],
    [
      'a promotion gate',
      { suggestors: [proposing], promotionGates: [promotionGate('cap', boom)] },
      'The promotion gate "cap" failed: boom',
    ],
    ['the condition of a gate', gated({ when: boom }), 'gates[1].when failed: boom'],
    ['the summary of a gate', gated({ summary: boom }), 'gates[1].summary failed: boom'],
    ['an invariant', { ...base, invariants: [structural('sum', boom)] }, 'The invariant "sum" failed: boom'],
    ['a criterion', { ...base, intent: { criteria: [criterion('done', boom)] } }, 'The criterion "done" failed: boom'],
    ['a seed', { ...base, seed: boom }, 'The seed failed: boom'],
    ['an output', { ...base, output: boom }, 'The output failed: boom'],
  ])('%s', async (_, options, message) => {
    const { termination } = await defineConvergence(options).run(undefined as never);
    const error = { name: 'TypeError', code: 'ECONNRESET', message };
    expect(termination).toMatchObject({ kind: 'failed', error, errorClass: 'external' });
  });

  it('each suggestor of several', async () => {
    const suggestors = ['one', 'two'].map((name) => suggestor(name, { execute: boom }));
    const { termination, also, failures } = await converge({ suggestors });
    expect([termination, ...also]).toMatchObject([
      { kind: 'failed', error: { message: 'The suggestor "one" failed: boom' } },
      { kind: 'failed', error: { message: 'The suggestor "two" failed: boom' } },
    ]);
    expect(failures.map(({ suggestor: name, error }) => [name, error?.message])).toEqual([
      ['one', 'boom'],
      ['two', 'boom'],
    ]);
  });
});
