import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecrets } from './secrets.js';
import { writtenForms } from './written-forms.js';

const value = 'sk-live/ü 0123?>~~"x';
const secrets = createSecrets({ KEY: value });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('values of secrets that someone has encoded', () => {
  it.each([
    ['JSON', JSON.stringify({ value })],
    ['JSON inside JSON', JSON.stringify({ text: JSON.stringify({ value }) })],
    ['JSON in ASCII', '{"value": "sk-live/\\u00fc 0123?>~~\\"x"}'],
    ['a URL', `https://example.com/?key=${encodeURIComponent(value)}`],
    ['a form', `key=${encodeURIComponent(value).replaceAll('%20', '+')}`],
    ['base64', base64(value)],
    ['base64 without padding', base64(value).replace(/=+$/, '')],
    ['base64url', Buffer.from(value).toString('base64url')],
    ['hex', Buffer.from(value).toString('hex')],
    ['hex in capitals', Buffer.from(value).toString('hex').toUpperCase()],
  ])('are found as %s and written back', (_, text) => {
    const sealed = secrets.seal(text);
    expect(sealed).toContain('{{secret:KEY');
    expect(sealed).not.toBe(text);
    expect(secrets.unseal(sealed)).toBe(text);
    expect(secrets.mask(sealed)).toMatch(/‹KEY›/);
    expect(secrets.mask(text)).toBe(secrets.mask(sealed));
    expect(secrets.seal(sealed)).toBe(sealed);
  });

  it('are found inside a longer base64 text wherever they begin, with at most one digit left at each end', () => {
    for (const before of ['', 'u', 'us', 'use', 'Basic user:'])
      for (const after of ['', ':', ':p', ' and more']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = Buffer.from(before + value + after).toString(encoding);
          const sealed = secrets.seal(text);
          expect(secrets.unseal(sealed)).toBe(text);
          const rest = sealed.replace(/\{\{secret:KEY[^}]*\}\}/, '').replaceAll('=', '');
          expect(rest.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before + after) * 8) / 6) + 2);
        }
      }
  });

  it('leave no digit of the value that a decoder could use, for any value and neighbours', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 40, unit: 'binary' }),
        fc.string({ maxLength: 7 }),
        fc.string({ maxLength: 7 }),
        fc.constantFrom('base64' as const, 'base64url' as const, 'hex' as const),
        (hidden, before, after, encoding) => {
          fc.pre(!(before + after).includes('{{secret'));
          const one = createSecrets({ A: hidden });
          const text = Buffer.from(before + hidden + after).toString(encoding);
          const masked = one.mask(text);
          expect(one.unseal(one.seal(text))).toBe(text);
          const left = masked.replaceAll('‹A›', '').length;
          expect(left).toBeLessThanOrEqual(
            Math.ceil(Buffer.byteLength(before + after) * (encoding === 'hex' ? 2 : 8 / 6)) + 4,
          );
        },
      ),
    );
  });

  it('have each text once, and no piece so short that it would be found by chance', () => {
    const forms = writtenForms('abcdef');
    expect(new Set(forms.map(({ text }) => text)).size).toBe(forms.length);
    expect(forms.every(({ text }) => text.length >= 6)).toBe(true);
    expect(forms.map(({ form }) => form)).toEqual(['', 'hex', 'base64', 'base64.1', 'base64.2']);
  });
});
