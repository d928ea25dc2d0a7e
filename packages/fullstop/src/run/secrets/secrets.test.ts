import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';
import type { StepFailed } from '../errors.js';
import { createSecrets } from './secrets.js';

const secrets = createSecrets({
  API_KEY: 'sk-12345',
  LONG: 'sk-12345-and-more',
  PEM: 'line "one"\nline two',
  WORD: 'secret',
});

describe('seal', () => {
  it('replaces a value wherever it is, in keys too', () => {
    expect(secrets.seal({ a: ['Bearer sk-12345!', 7, null], 'x-sk-12345': { deep: 'sk-12345' } })).toEqual({
      a: ['Bearer {{secret:API_KEY}}!', 7, null],
      'x-{{secret:API_KEY}}': { deep: '{{secret:API_KEY}}' },
    });
  });

  it('takes the longest value first', () => {
    expect(secrets.seal('sk-12345-and-more')).toBe('{{secret:LONG}}');
    expect(secrets.seal('sk-12345-and-less')).toBe('{{secret:API_KEY}}-and-less');
  });

  it('finds a value inside JSON text and inside a URL', () => {
    const text = JSON.stringify({ key: 'line "one"\nline two' });
    expect(secrets.seal(text)).toBe('{"key":"{{secret:PEM:json}}"}');
    expect(secrets.unseal(secrets.seal(text))).toBe(text);
    const url = `https://example.com/?k=${encodeURIComponent('line "one"\nline two')}`;
    expect(secrets.seal(url)).toBe('https://example.com/?k={{secret:PEM:url}}');
    expect(secrets.unseal(secrets.seal(url))).toBe(url);
  });

  it('changes nothing that is sealed, even if a value is part of a placeholder', () => {
    const sealed = secrets.seal({ a: 'the secret is sk-12345' });
    expect(sealed).toEqual({ a: 'the {{secret:WORD}} is {{secret:API_KEY}}' });
    expect(secrets.seal(sealed)).toBe(sealed);
    expect(secrets.seal('{{secret:GONE}}')).toBe('{{secret:GONE}}');
  });

  it('returns the very value when it holds no secret', () => {
    const value = { a: [1, { b: 'nothing to see' }] };
    expect(secrets.seal(value)).toBe(value);
    const half = { clean: { b: 1 }, key: 'sk-12345' };
    expect(secrets.seal(half).clean).toBe(half.clean);
  });

  it('is undone by unseal, for any JSON', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('sk-12345', 'sk-12345-and-more', 'secret', '{{', '}}', 'line "one"\nline two'),
    );
    const text = fc.array(part).map((parts) => parts.join(''));
    const json = fc.letrec((tie) => ({
      any: fc.oneof(
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(text, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(json, (value) => {
        const sealed = secrets.seal(value);
        expect(JSON.stringify(sealed)).not.toContain('sk-12345');
        expect(secrets.unseal(sealed)).toEqual(value);
        expect(secrets.seal(sealed)).toBe(sealed);
      }),
    );
  });

  it('keeps a key named __proto__ an ordinary key', () => {
    const value = JSON.parse('{"__proto__":"sk-12345"}') as object;
    expect(JSON.stringify(secrets.seal(value))).toBe('{"__proto__":"{{secret:API_KEY}}"}');
  });
});

describe('mask', () => {
  it('shows names instead of values and of placeholders', () => {
    expect(secrets.mask('key sk-12345, {{secret:API_KEY}}, {{secret:PEM:json}}, {{secret:GONE}}')).toBe(
      'key ‹API_KEY›, ‹API_KEY›, ‹PEM›, ‹GONE›',
    );
    expect(secrets.mask({ at: 1, text: 'sk-12345' })).toEqual({ at: 1, text: '‹API_KEY›' });
  });
});

describe('createSecrets', () => {
  it('refuses values that would be found by chance', () => {
    expect(() => createSecrets({ PIN: '12345' })).toThrow(/PIN has 5 characters; 6 are needed/);
  });

  it('refuses a value that is not set, and names that a placeholder cannot hold', () => {
    expect(() => createSecrets({ KEY: undefined as unknown as string })).toThrow(/KEY is not set/);
    expect(() => createSecrets({ 'a}b': 'long enough' })).toThrow(/cannot be named "a}b"/);
  });

  it('works without any secret', () => {
    expect(createSecrets({}).mask('plain')).toBe('plain');
  });
});

describe('a run with secrets', () => {
  const value = 'sk-12345';
  const sealed = '{{secret:API_KEY}}';
  const setUp = () => {
    const engine = memoryEngine();
    const seen: unknown[] = [];
    const called: string[] = [];
    const definition = defineRun({
      name: 'caller',
      secrets,
      onEnding: ['hook'],
      run: async (context, input: { token: string }) => {
        seen.push(input.token);
        const echoed = await context.step('echo', ({ unseal }) => {
          called.push(unseal(input.token));
          return { [`header ${value}`]: `sent ${value}` };
        });
        seen.push(echoed);
        seen.push(await context.record('judge', () => `judged ${value}`));
        const failure = await context
          .step('fail', () => {
            throw new Error(`401 for ${value}`);
          })
          .catch((error: unknown) => error);
        seen.push((failure as StepFailed).message);
        context.emit({ note: value });
        const answer = await context.wait({ id: 'ask', type: 'input', input: { with: value } });
        seen.push(answer.value);
        const child = await context.child('inner', async () => end(terminations.naturalEnd(), { of: value }));
        seen.push(child.output);
        return end(terminations.custom({ reason: `used ${value}`, category: 'success' }), { token: value });
      },
    });
    return { engine, seen, called, definition };
  };

  it.each([false, true])(
    'keeps their values out of journal, body and result (alwaysReplay: %s)',
    async (alwaysReplay) => {
      const { engine, seen, called, definition } = setUp();
      const shown: unknown[] = [];
      const options = { engine, alwaysReplay, onEntry: (entry: unknown) => shown.push(entry) };
      const first = await definition.run({ token: value }, { ...options, runId: 'r' });
      expect(first.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ input: { with: sealed } }] });
      const answers = { ask: { decision: 'value', value: `answered ${value}` } } as const;
      const said = { by: `maria ${value}`, changes: { note: value } };
      const result = await definition.resume('r', { ...options, answers, ...said });
      expect(result.output).toEqual({ token: sealed });
      expect(result.summary).toContain(sealed);
      expect(called).toEqual([value]);
      const everything = [
        await result.journal(),
        seen,
        result,
        await engine.dueNotices(),
        await engine.openRequests('r'),
      ];
      expect(JSON.stringify(everything)).not.toContain(value);
      const step = { [`header ${sealed}`]: `sent ${sealed}` };
      const lastPass = [sealed, step, `judged ${sealed}`, `401 for ${sealed}`, `answered ${sealed}`, { of: sealed }];
      expect(seen.slice(-6)).toEqual(lastPass);
      expect(JSON.stringify(shown)).toContain('‹API_KEY›');
      expect(JSON.stringify(shown)).not.toMatch(/sk-12345|\{\{secret/);
    },
  );

  it('ends as failed when a key holds a value, and does not show it', async () => {
    const leaky = defineRun({
      name: 'leaky',
      secrets,
      run: async (context) => {
        await context.step(`call ${value}`, () => 1);
        return terminations.naturalEnd();
      },
    });
    const result = await leaky.run(undefined);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'SECRET_IN_KEY' } });
    expect(JSON.stringify([await result.journal(), result])).not.toContain(value);
  });

  it('hands an attempt the value as it is when there are no secrets', async () => {
    const plain = defineRun({
      name: 'plain',
      run: async (context) => end(terminations.naturalEnd(), await context.step('s', ({ unseal }) => unseal(sealed))),
    });
    expect((await plain.run(undefined)).output).toBe(sealed);
  });
});
