import { describe, expect, it } from 'vitest';
import { headerText, signatureHeaders, verifyNotice } from './notice-signature.js';

const body = '{"runId":"r"}';
const sentAt = 1_700_000_000_000;
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('signatureHeaders', () => {
  it('signs as Standard Webhooks does', async () => {
    // The test vector of the Standard Webhooks libraries.
    const headers = await signatureHeaders(secret, {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      sentAt: 1_614_265_330_000,
      body: '{"test": 2432232314}',
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});

describe('verifyNotice', () => {
  const signed = (key = secret) => signatureHeaders(key, { id: 'r:1:ops', sentAt, body });
  const options = { now: sentAt + 1000 };

  it('takes headers as an object, with any case and lists, or as something with get', async () => {
    const headers = await signed();
    const node = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    for (const form of [headers, node, new Headers(headers)]) {
      expect(await verifyNotice(form, body, secret, options)).toEqual({
        id: 'r:1:ops',
        sentAt,
        envelope: { runId: 'r' },
      });
    }
  });

  it('takes any text as a secret, several secrets and several signatures', async () => {
    const headers = await signed('an old secret');
    await verifyNotice(headers, body, ['a new secret', 'an old secret'], options);
    const both = { ...headers, 'webhook-signature': `v1a,other v1,AAAA ${headers['webhook-signature']}` };
    await verifyNotice(both, body, 'an old secret', options);
  });

  it.each<[string, (headers: Record<string, string>) => Parameters<typeof verifyNotice>, RegExp]>([
    ['another body', (headers) => [headers, '{}', secret, options], /does not fit/],
    ['another id', (headers) => [{ ...headers, 'webhook-id': 'x' }, body, secret, options], /does not fit/],
    ['another secret', (headers) => [headers, body, 'wrong', options], /does not fit/],
    ['no secret at all', (headers) => [headers, body, [], options], /does not fit/],
    ['an old request', (headers) => [headers, body, secret, { now: sentAt + 301_000 }], /too far from now/],
    ['a request from the future', (headers) => [headers, body, secret, { now: sentAt - 301_000 }], /too far from now/],
    [
      'a time that is none',
      (headers) => [{ ...headers, 'webhook-timestamp': 'NaN' }, body, secret, options],
      /too far from now/,
    ],
    ['no headers', () => [{}, body, secret, options], /no header webhook-id/],
    [
      'an unknown version',
      (headers) => [{ ...headers, 'webhook-signature': 'v2,AAAA' }, body, secret, options],
      /does not fit/,
    ],
  ])('refuses %s', async (_, call, why) => {
    await expect(verifyNotice(...call({ ...(await signed()) }))).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
      message: expect.stringMatching(why) as string,
    });
  });
});

it('headers hold any id as visible ASCII', () => {
  expect(headerText('a:1:b')).toBe('a:1:b');
  expect(headerText('é\n😀\ud800')).toBe('%C3%A9%0A%F0%9F%98%80%EF%BF%BD');
});
