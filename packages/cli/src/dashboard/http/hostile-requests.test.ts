import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardPlace } from '../dashboard.fixture.js';

describe('hostile requests', () => {
  let place: DashboardPlace;
  beforeAll(async () => {
    place = await DashboardPlace.open();
  });
  afterAll(() => place.close());

  const errorOf = (body: string): { readonly code: string; readonly message: string } =>
    (JSON.parse(body) as { readonly error: { readonly code: string; readonly message: string } }).error;

  it('refuses the API to whoever has neither token nor cookie', async () => {
    const { status, body } = await place.raw('/api/runs');
    expect(status).toBe(401);
    expect(errorOf(body)).toEqual({
      code: 'TOKEN_NEEDED',
      message: 'Open the address that fullstop dashboard printed: it carries the token.',
    });
  });

  it('refuses a wrong token in the address and as a bearer', async () => {
    const inAddress = await place.raw('/?token=guessed');
    expect(inAddress.status).toBe(401);
    expect(errorOf(inAddress.body).code).toBe('WRONG_TOKEN');
    expect(inAddress.headers.get('set-cookie')).toBeNull();
    const asBearer = await place.raw('/api/runs', { headers: { authorization: 'Bearer guessed' } });
    expect(asBearer.status).toBe(401);
    expect(errorOf(asBearer.body).code).toBe('TOKEN_NEEDED');
  });

  it('gives a cookie for the right token that no script can read and no other site sends, then leads on without the token', async () => {
    const entered = await place.raw(`/runs/r_1?tab=why&token=${place.dashboard.token}`);
    expect(entered.status).toBe(200);
    expect(entered.headers.get('set-cookie')).toMatch(/^fullstop_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(entered.body).toContain('url=/runs/r_1?tab=why"');
    expect(entered.body).not.toContain(place.dashboard.token);
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await place.raw('/api/runs', { headers: { cookie } })).status).toBe(200);
    expect((await place.raw('/runs/r_1', { headers: { cookie } })).body).toContain('<title>Fullstop</title>');
  });

  it('shows whoever is not known a page that says what to open', async () => {
    const { status, body, headers } = await place.raw('/runs/r_1');
    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(body).toContain('Open the address that <code>fullstop dashboard</code> printed');
  });

  it('does not let an address write into the page', async () => {
    const { body } = await place.raw('/runs/%3Cscript%3E?x="><script>alert(1)</script>');
    expect(body).not.toContain('<script>');
  });

  it('refuses a name that was made to lead here (DNS rebinding)', async () => {
    const { port } = new URL(place.dashboard.origin);
    for (const host of [`evil.example:${port}`, '127.0.0.1:1', `127.0.0.1.evil.example:${port}`]) {
      const { status, body } = await place.raw('/api/runs', { headers: { ...place.bearer, host } });
      expect([host, status, errorOf(body).code]).toEqual([host, 421, 'WRONG_HOST']);
    }
    for (const host of ['x y', 'a/b'])
      expect([host, (await place.raw('/api/runs', { headers: { ...place.bearer, host } })).status]).toEqual([
        host,
        400,
      ]);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect((await place.raw('/api/runs', { headers: { ...place.bearer, host } })).status).toBe(200);
  });

  it('refuses pages of other origins, also with the cookie', async () => {
    const entered = await place.raw(`/?token=${place.dashboard.token}`);
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { cookie, 'content-type': 'application/json' };
    const foreign = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: place.dashboard.origin.replace('http:', 'https:') },
      { origin: place.dashboard.origin.replace(/\d+$/, '1') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const from of foreign) {
      const { status, body } = await place.raw('/api/runs', {
        headers: { ...headers, ...from } as Record<string, string>,
      });
      expect([from, status, errorOf(body).code]).toEqual([from, 403, 'FOREIGN_ORIGIN']);
    }
    const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await place.raw('/', { headers: { cookie, ...navigation } })).status).toBe(200);
  });

  it('allows no script, style or frame from anywhere else, on every answer', async () => {
    for (const path of ['/', '/api/runs', '/assets/app-ABCD1234.js', '/api/nothing']) {
      const { headers } = await place.raw(path, { headers: place.bearer });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('gives no file but those of the page', async () => {
    const paths = [
      '/../outside.txt',
      '/%2e%2e/outside.txt',
      '/..%2foutside.txt',
      '/assets/../../outside.txt',
      '/assets/..%5c..%5coutside.txt',
      '/assets/%00',
      '/assets/missing.js',
      '/.env',
    ];
    for (const path of paths) {
      const { status, body } = await place.raw(path, { headers: place.bearer });
      expect([path, body.includes('not for anyone')]).toEqual([path, false]);
      // A client may resolve the dots itself; then it asks for a page of ours.
      expect([path, [404, 200].includes(status)]).toEqual([path, true]);
      if (status === 200) expect(body).toContain('<title>Fullstop</title>');
    }
    expect((await place.raw('/assets/missing.js', { headers: place.bearer })).status).toBe(404);
  });

  it('says what is wrong with a query', async () => {
    const { status, body } = await place.raw('/api/runs?limit=0&colour=red', { headers: place.bearer });
    expect(status).toBe(400);
    expect(errorOf(body).code).toBe('INVALID_REQUEST');
    expect(errorOf(body).message).toContain('limit');
    expect(errorOf(body).message).toContain('colour');
    const twice = await place.raw('/api/runs?kind=a&kind=b', { headers: place.bearer });
    expect(twice.status).toBe(400);
  });

  it('knows no other addresses and methods', async () => {
    const unknown = await place.raw('/api/nothing', { headers: place.bearer });
    expect([unknown.status, errorOf(unknown.body).code]).toEqual([404, 'NOT_FOUND']);
    const method = await place.raw('/', { method: 'DELETE', headers: place.bearer });
    expect([method.status, errorOf(method.body).code]).toEqual([405, 'WRONG_METHOD']);
  });
});
