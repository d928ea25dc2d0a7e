import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineConvergence } from '../define-convergence.js';
import { type FactOptions, fact } from '../facts/fact.js';
import { family } from '../options/family.js';
import { promotionGate } from '../options/promotion-gate.js';
import { suggestor } from '../options/suggestor.js';

/** Proposes once. */
const once = (key: string, payload: unknown, options: FactOptions = {}) =>
  suggestor('once', { accepts: ({ cycle }) => cycle === 0, execute: ({ propose }) => propose(key, payload, options) });
const merged = (key: string, payload: unknown, options: FactOptions = {}) =>
  defineConvergence({ suggestors: [once(key, payload, options)] }).run();

interface Wrong {
  readonly what: string;
  readonly key: string;
  readonly payload: unknown;
  readonly options: FactOptions;
  readonly reason: RegExp;
}

describe('promotion', () => {
  it('keeps all that a proposal says, and adds who, when and where', async () => {
    const options = { id: 'a:1', subject: 'acme', confidence: 0.7, provenance: 'a call', because: ['other/x'] };
    const convergence = defineConvergence({ suggestors: [once('note', { n: 1 }, options)] });
    const { facts } = await convergence.run({ facts: [fact('other', 1, { id: 'x' })] });
    expect(facts.get('note')).toEqual([
      {
        ref: 'note/a:1',
        key: 'note',
        family: 'note',
        version: 1,
        payload: { n: 1 },
        by: 'once',
        cycle: 1,
        clock: 2,
        ...options,
      },
    ]);
    expect(facts.about('acme')).toHaveLength(1);
  });

  it('rejects what names an unknown fact as its reason', async () => {
    const { facts, rejections } = await merged('note', { n: 1 }, { because: ['other/x'] });
    expect(facts.size).toBe(0);
    const reason = 'because names "other/x", and there is no such fact';
    expect(rejections).toMatchObject([{ type: 'invalid', by: 'once', reason }]);
  });

  it.each<Wrong>([
    { what: 'a bad key', key: 'no spaces', payload: 1, options: {}, reason: /the key is "no spaces"/ },
    { what: 'an empty id', key: 'x', payload: 1, options: { id: '' }, reason: /the id is ""/ },
    { what: 'an id with a separator', key: 'x', payload: 1, options: { id: 'a/b' }, reason: /the id is "a\/b"/ },
    { what: 'an id with a line break', key: 'x', payload: 1, options: { id: 'a\nb' }, reason: /the id/ },
    { what: 'an id that is too long', key: 'x', payload: 1, options: { id: 'a'.repeat(129) }, reason: /the id/ },
    { what: 'blank text', key: 'x', payload: { text: '  ' }, options: {}, reason: /content is empty/ },
    { what: 'no content', key: 'x', payload: null, options: {}, reason: /content is empty/ },
    { what: 'a confidence above 1', key: 'x', payload: 1, options: { confidence: 1.2 }, reason: /from 0 to 1/ },
    {
      what: 'a confidence that is none',
      key: 'x',
      payload: 1,
      options: { confidence: 'high' as never },
      reason: /from 0 to 1/,
    },
    { what: 'a blank subject', key: 'x', payload: 1, options: { subject: ' ' }, reason: /subject is blank/ },
    ...[
      { options: { confidence: '0.5' }, reason: /the confidence is "0.5"; it must be a number from 0 to 1/ },
      { options: { confidence: null }, reason: /the confidence is null/ },
      { options: { subject: 5 }, reason: /the subject is 5; it must be a text/ },
      { options: { subject: null }, reason: /the subject is null; it must be a text/ },
      { options: { provenance: 5 }, reason: /the provenance is 5; it must be a text/ },
      { options: { provenance: {} }, reason: /the provenance is an object; it must be a text/ },
      { options: { because: 'x/a' }, reason: /because is "x\/a"; it must be a list of facts or their references/ },
      { options: { because: [5] }, reason: /because is a list; it must be a list of facts or their references/ },
    ].map(({ options, reason }) => {
      return { what: JSON.stringify(options), key: 'x', payload: 1, options: options as never, reason };
    }),
  ])('rejects $what, with the reason', async ({ key, payload, options, reason }) => {
    const { rejections, facts } = await merged(key, payload, options);
    expect(facts.size).toBe(0);
    expect(rejections).toMatchObject([{ type: 'invalid', by: 'once', cycle: 1 }]);
    expect(rejections[0]?.reason).toMatch(reason);
    expect(() => fact(key, payload, options)).toThrow(reason);
  });

  it('refuses what is misspelt: a confidence that nobody reads would be full confidence', async () => {
    const misspelt = { confidnce: 0.1 } as never;
    expect(() => fact('x', 1, misspelt)).toThrow(/has no option "confidnce" \(did you mean "confidence"\?\)/);
    const { termination } = await merged('x', 1, misspelt);
    const message = expect.stringContaining('The suggestor "once" failed: A fact has no option "confidnce"');
    expect(termination).toMatchObject({ kind: 'failed', errorClass: 'configuration', error: { message } });
    const given = [{ key: 'x', payload: 1, confidnce: 0.1 } as never];
    await expect(defineConvergence({ suggestors: [] }).run({ facts: given })).rejects.toThrow(/"confidnce"/);
  });

  it('takes the facts of another run as they are for facts to start with', async () => {
    const x = family('x');
    const given = [fact('y', 1, { id: 'b' }), fact(x, 1, { id: 'a', confidence: 0.5, because: ['y/b'] })];
    const convergence = defineConvergence({ suggestors: [], families: [x] });
    const first = await convergence.run({ facts: given });
    const second = await convergence.run({ facts: first.facts.get('x') });
    expect(second.facts.all()).toMatchObject([{ ref: 'x/a', confidence: 0.5, because: ['y/b'], clock: 1 }]);
  });

  it('names content by itself where no id is given, whatever the order of its keys', async () => {
    const { facts } = await defineConvergence({ suggestors: [] }).run({
      facts: [fact('x', { a: 1, b: 2 }), fact('x', { b: 2, a: 1 }), fact('x', { a: 1, b: 2 }, { subject: 's' })],
    });
    expect(facts.get('x')).toHaveLength(2);
    expect(facts.get('x')[0]?.id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('judges content by its family and version, with schemas that take time too', async () => {
    const first = family('risk', { schema: z.object({ score: z.number() }) });
    const second = family('risk', {
      version: 2,
      schema: z.object({ score: z.number() }).refine(async ({ score }) => score <= 10, 'at most 10'),
    });
    const foreign = family('risk', { name: 'elsewhere.risk' });
    const convergence = defineConvergence({ suggestors: [], families: [first, second] });
    const { facts, rejections } = await convergence.run({
      facts: [
        fact(first, { score: 50 }, { id: 'old' }),
        fact(second, { score: 5 }, { id: 'new' }),
        fact('risk', { score: 7 }, { id: 'untold' }),
        fact('risk', { score: 50 }, { id: 'high' }),
        fact('risk', { score: 'x' }, { id: 'word' }),
        fact(foreign, { score: 1 }, { id: 'foreign' }),
      ],
    });
    expect(facts.all().map(({ id, family: name, version }) => [id, name, version])).toEqual([
      ['old', 'risk', 1],
      ['new', 'risk', 2],
      ['untold', 'risk', 2],
    ]);
    expect(facts.get(first).map(({ payload }) => payload.score)).toEqual([50]);
    expect(rejections.map(({ ref, reason }) => [ref, reason])).toEqual([
      ['risk/high', 'the content does not fit risk version 2: the content (at most 10)'],
      ['risk/word', expect.stringContaining('score')],
      ['risk/foreign', 'there is no family elsewhere.risk version 1'],
    ]);
  });

  it('asks promotion gates in order with what was promoted so far, and keeps every rejection', async () => {
    const seen: number[] = [];
    const gates = [
      promotionGate('at most two', (_, facts) => {
        seen.push(facts.size);
        return facts.size < 2 || 'there are two';
      }),
      promotionGate('no zeros', async ({ payload }) => (payload as { n: number }).n !== 0),
    ];
    const inputs = [0, 1, 2, 3].map((n) => fact('x', { n }, { id: `x${n}` }));
    const { rejections, facts } = await defineConvergence({ suggestors: [], promotionGates: gates }).run({
      facts: inputs,
    });
    expect(facts.all().map(({ id }) => id)).toEqual(['x1', 'x2']);
    expect(seen).toEqual([0, 0, 1, 2]);
    expect(rejections.map(({ ref, gate, reason }) => [ref, gate, reason])).toEqual([
      ['x/x0', 'no zeros', 'the promotion gate no zeros does not let it pass'],
      ['x/x3', 'at most two', 'there are two'],
    ]);
  });

  it('lists keys in the declared order, then as they came', async () => {
    const { facts } = await defineConvergence({ suggestors: [], keys: ['first', 'second'] }).run({
      facts: ['late', 'second', 'other', 'first'].map((key) => fact(key, { n: 1 })),
    });
    expect(facts.keys()).toEqual(['first', 'second', 'late', 'other']);
  });

  it('shows earlier facts unchanged whatever comes later', async () => {
    const views: { readonly size: number; all(): readonly unknown[]; get(key: string): readonly unknown[] }[] = [];
    const grower = suggestor('grower', {
      accepts: ({ facts }) => facts.size < 4,
      execute: ({ facts, propose }) => {
        views.push(facts);
        propose('x', { n: facts.size }, { id: `x${facts.size}` });
      },
    });
    await defineConvergence({ suggestors: [grower] }).run();
    expect(views.map((view) => [view.size, view.all().length, view.get('x').length])).toEqual([
      [0, 0, 0],
      [1, 1, 1],
      [2, 2, 2],
      [3, 3, 3],
    ]);
  });
});
