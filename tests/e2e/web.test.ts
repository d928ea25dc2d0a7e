import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Place } from './binary.js';

const files = {
  'hold.yaml': `workflow: {name: hold, entry_point: hold}
agents:
  - {name: hold, type: script, command: sh, args: ["-c", "until [ -e go ]; do sleep 0.1; done"], routes: [{to: stop}]}
  - {name: stop, type: terminate, status: failed, reason: Enough.}
`,
};

let place: Place;

beforeEach(() => {
  place = new Place();
  place.write(files);
});
afterEach(() => place.remove());

describe('run --web', () => {
  it('shows the run while it is executed, and ends with the code of the run', async () => {
    const run = place.start(['run', 'hold.yaml', '--run-id', 'r_web', '--web', '-q', '--no-input']);
    // A failed test leaves no process behind.
    onTestFinished(() => void run.child.kill('SIGKILL'));
    const told = new Promise<string>((done) => {
      let said = '';
      run.child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const [address] = /http:\/\/127\.0\.0\.1:\S+(?=\n)/.exec(said) ?? [];
        if (address !== undefined) done(address);
      });
    });
    const address = new URL(
      await Promise.race([told, run.finished.then(({ stderr }) => Promise.reject(new Error(stderr)))]),
    );
    const opened = await fetch(address);
    // It leads on to the run itself, and the token stays behind in the cookie.
    expect(await opened.text()).toContain('url=/runs/r_web"');
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const read = async (): Promise<{ readonly status: number; readonly title: string | undefined }> => {
      const response = await fetch(new URL('/api/runs/r_web', address), { headers: { cookie } });
      const body = (await response.json()) as { readonly banner?: { readonly title: string } };
      return { status: response.status, title: body.banner?.title };
    };
    expect((await fetch(new URL('/api/runs/r_web', address))).status).toBe(401);
    // The page may be opened before the first entry is written.
    await expect.poll(read, { timeout: 60_000 }).toEqual({ status: 200, title: 'Running' });
    writeFileSync(place.path('go'), '');
    const { code, stderr } = await run.finished;
    expect([code, stderr]).toEqual([1, expect.stringContaining(address.href)]);
    await expect(fetch(new URL('/api/session', address), { headers: { cookie } })).rejects.toThrow('fetch failed');
  });
});
