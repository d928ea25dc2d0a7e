import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { addQuoted, addText, beginHash, digestOf, finishHash, hashPair, sha256, toHex } from './sha256.js';

const reference = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

describe('sha256', () => {
  it('is SHA-256 for any text, whatever its length and alphabet', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 300 })), (text) => {
        expect(toHex(sha256(text))).toBe(reference(text));
      }),
    );
  });

  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 5000, 70_000])('pads a text of %i bytes', (length) => {
    expect(toHex(sha256('a'.repeat(length)))).toBe(reference('a'.repeat(length)));
    expect(toHex(sha256('ä'.repeat(length)))).toBe(reference('ä'.repeat(length)));
  });

  it('is the same where the platform has no hash of its own', async () => {
    vi.resetModules();
    vi.doMock('./native-hash.js', () => ({ nativeHash: undefined }));
    const written = await import('./sha256.js');
    vi.doUnmock('./native-hash.js');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        expect(written.toHex(written.sha256(text))).toBe(reference(text));
      }),
    );
  });

  it('hashes a prefix byte before a text and before two digests', () => {
    const target = new Int32Array(10);
    beginHash(0);
    for (const piece of ['n', '', 'ée']) addText(piece);
    finishHash(target, 2);
    expect(toHex(target.subarray(2))).toBe(reference(Buffer.concat([Buffer.of(0), Buffer.from('née')])));
  });

  it('quotes a text as JSON does, whatever is in it', () => {
    const target = new Int32Array(8);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        beginHash(0);
        addQuoted(text);
        finishHash(target, 0);
        expect(toHex(target)).toBe(reference(`\u0000${JSON.stringify(text)}`));
      }),
      { examples: [[''], ['"'], ['\\'], ['\u001f'], ['\u007f'], ['née'], ['\ud800']] },
    );
  });

  it('hashes two digests with a byte before them, and without, whatever they are', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const [left, right] = [sha256(one), sha256(other)];
        const bytes = [left, right].map((digest) => Buffer.from(toHex(digest), 'hex'));
        expect(toHex(hashPair(left, right, 1))).toBe(reference(Buffer.concat([Buffer.of(1), ...bytes])));
        expect(toHex(hashPair(left, right, undefined))).toBe(reference(Buffer.concat(bytes)));
      }),
      { numRuns: 1000 },
    );
  });

  it('reads digests back, and nothing else', () => {
    const digest = sha256('x');
    expect(digestOf(toHex(digest))).toEqual(digest);
    expect(digestOf('ab')).toBeUndefined();
    expect(digestOf('z'.repeat(64))).toBeUndefined();
  });
});
