import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Place } from './binary.js';

const slow = `workflow: {name: slow, entry_point: note}
agents:
  - {name: note, type: set, value: begun, routes: [{to: nap}]}
  - {name: nap, type: script, command: sleep, args: ["1"], routes: [{to: where}]}
  - {name: where, type: script, command: pwd, routes: [{to: $end}]}
output: {note: "{{ note.output }}"}
`;
const gate = `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it?
    options: [{label: "Yes", value: "yes", route: after}]
  - {name: after, type: script, command: echo, args: [done], routes: [{to: $end}]}
`;
const sleeper = `workflow: {name: sleeper, entry_point: rest}
agents:
  - {name: rest, type: wait, duration: 2s, routes: [{to: $end}]}
`;
const held = `workflow: {name: held, entry_point: hold}
agents: [{name: hold, type: script, command: bash, args: ["-c", "until test -f released; do sleep 0.1; done"]}]
`;
const long = sleeper.replace('2s', '90s');
const loop = `workflow: {name: loop, entry_point: one, limits: {max_iterations: 4}}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: set, value: y, routes: [{to: one}]}
`;

interface Row {
  readonly runId: string;
  readonly state: string;
  readonly kind?: string;
  readonly segment: number;
}

describe('runs in the background', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    place.write({
      'slow.yaml': slow,
      'gate.yaml': gate,
      'sleeper.yaml': sleeper,
      'loop.yaml': loop,
      'held.yaml': held,
      'long.yaml': long,
    });
  });
  afterEach(async () => {
    // Whatever a test leaves behind ends first: a worker has no more to do then.
    await workerGone();
    place.remove();
  });

  const mark = (): string => place.path('.fullstop/runs.db.worker');
  const workerGone = (): Promise<void> =>
    vi.waitUntil(() => !existsSync(mark()), { timeout: 120_000, interval: 50 }).then(() => undefined);
  const rows = async (): Promise<readonly Row[]> => {
    const { stdout } = await place.run(['runs', '--json']);
    return stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  };
  const ended = (runId: string, kind: string): Promise<Row> =>
    vi.waitFor(
      async () => {
        const row = (await rows()).find((each) => each.runId === runId);
        expect([runId, row?.kind]).toEqual([runId, kind]);
        return row as Row;
      },
      { timeout: 120_000, interval: 100 },
    );

  it('returns the id at once and nothing else on stdout, while a worker executes the run in the same folder', async () => {
    const { code, stdout, stderr } = await place.run(['run', 'slow.yaml', '--detach']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^r_\w+\n$/);
    expect(stderr).toContain('A worker executes it.');
    const runId = stdout.trim();
    await ended(runId, 'flow_completed');
    const { stdout: journal } = await place.run(['events', runId]);
    expect(journal).toContain(JSON.stringify(place.folder).slice(1, -1));
  });

  it('has one worker for all runs, which ends by itself and comes back for the next', async () => {
    const [first, second] = await Promise.all(
      ['a', 'b'].map((id) => place.run(['run', 'slow.yaml', '--detach', '--run-id', id])),
    );
    expect([first?.code, second?.code]).toEqual([0, 0]);
    await Promise.all([ended('a', 'flow_completed'), ended('b', 'flow_completed')]);
    await workerGone();
    expect((await place.run(['run', 'loop.yaml', '--detach', '--run-id', 'c'])).code).toBe(0);
    await ended('c', 'max_iterations');
  });

  it('stays while a run sleeps, and executes it when it wakes', async () => {
    await place.run(['run', 'sleeper.yaml', '--detach', '--run-id', 'nap']);
    await ended('nap', 'flow_completed');
  });

  it('starts another worker where the one before was killed, and loses nothing', async () => {
    await place.run(['run', 'held.yaml', '--detach', '--run-id', 'first']);
    const pid = Number(readFileSync(mark(), 'utf8'));
    process.kill(pid, 'SIGKILL');
    place.write({ released: '' });
    await place.run(['run', 'loop.yaml', '--detach', '--run-id', 'second']);
    await Promise.all([ended('first', 'flow_completed'), ended('second', 'max_iterations')]);
  });

  it('ends where its store was removed', async () => {
    await place.run(['run', 'long.yaml', '--detach', '--run-id', 'nap']);
    const pid = Number(readFileSync(mark(), 'utf8'));
    rmSync(place.path('.fullstop'), { recursive: true, force: true });
    await vi.waitUntil(() => !isAlive(pid), { timeout: 120_000, interval: 50 });
  });

  it('refuses what cannot run before anything is started', async () => {
    place.write({
      'broken.yaml': 'workflow: {name: broken, entry_point: nowhere}\nagents:\n  - {name: one, type: sett}\n',
    });
    expect((await place.run(['run', 'broken.yaml', '--detach'])).code).toBe(2);
    const both = await place.run(['run', 'loop.yaml', '--detach', '--web']);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--web shows a run that is executed here')]);
    expect(await rows()).toEqual([]);
  });

  it('executes what the page starts and resumes, also when the dashboard is killed at once', async () => {
    expect((await place.run(['run', 'loop.yaml', '--run-id', 'stopped'])).code).toBe(3);
    const dashboard = place.start(['dashboard']);
    const url = await firstLine(dashboard.child.stdout);
    const { origin, searchParams } = new URL(url);
    const headers = {
      authorization: `Bearer ${searchParams.get('token') ?? ''}`,
      'content-type': 'application/json',
    };
    const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${origin}/api${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(response.status).toBe(200);
      return (await response.json()) as Record<string, unknown>;
    };
    const started = await post('/workflows/slow.yaml/start', {});
    await post('/runs/stopped/resume', { maxIterations: 8 });
    dashboard.child.kill('SIGKILL');
    await dashboard.finished;
    await ended(String(started['runId']), 'flow_completed');
    const resumed = await ended('stopped', 'max_iterations');
    expect(resumed.segment).toBe(2);
  });

  it('lets the first answer win, whether it comes from the page or the terminal', async () => {
    await place.run(['run', 'gate.yaml', '--no-input', '--run-id', 'asks']);
    const dashboard = place.start(['dashboard', '--by', 'page']);
    const { origin, searchParams } = new URL(await firstLine(dashboard.child.stdout));
    const answered = await fetch(`${origin}/api/runs/asks/answer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${searchParams.get('token') ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify({ requestId: 'review', decision: 'choose', choice: 'yes' }),
    });
    expect(answered.status).toBe(200);
    await ended('asks', 'flow_completed');
    const late = await place.run(['answer', 'asks', 'review', '--choose', 'yes', '--by', 'terminal']);
    expect(late.code).toBe(2);
    expect(late.stderr).toMatch(/answered already by page|final ending/);
    dashboard.child.kill('SIGTERM');
    expect((await dashboard.finished).code).toBe(0);
  });
});

describe('the dashboard as a command', () => {
  it('prints an address that opens it, and only reads where that is asked for', async () => {
    const place = new Place();
    place.write({ 'loop.yaml': loop });
    await place.run(['run', 'loop.yaml', '--run-id', 'stopped']);
    const dashboard = place.start(['dashboard', '--read-only']);
    const url = await firstLine(dashboard.child.stdout);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    const page = await fetch(url);
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('HttpOnly')]);
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { origin } = new URL(url);
    const list = await fetch(`${origin}/api/runs`, { headers: { cookie } });
    expect(await list.json()).toMatchObject({ runs: [{ runId: 'stopped', kind: 'max_iterations' }] });
    const shell = await fetch(`${origin}/runs/stopped`, { headers: { cookie } });
    expect([shell.status, await shell.text()]).toEqual([200, expect.stringContaining('<script')]);
    const change = await fetch(`${origin}/api/runs/stopped/cancel`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(change.status).toBe(403);
    dashboard.child.kill('SIGINT');
    expect((await dashboard.finished).code).toBe(0);
    place.remove();
  });

  it('says so where the port is taken, or the address is none of this machine', async () => {
    const place = new Place();
    const first = place.start(['dashboard']);
    const { port } = new URL(await firstLine(first.child.stdout));
    const second = await place.run(['dashboard', '--port', port]);
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining(`The port ${port} is in use`)]);
    const third = await place.run(['dashboard', '--host', '203.0.113.7']);
    expect([third.code, third.stderr]).toEqual([2, expect.stringContaining('is not an address of this machine')]);
    first.child.kill('SIGTERM');
    await first.finished;
    place.remove();
  });
});

describe('fork', () => {
  it('continues a copy with other inputs, and leaves the run alone', async () => {
    const place = new Place();
    place.write({
      'greet.yaml': `workflow: {name: greet, entry_point: first, input: {name: {type: string, required: true}}}
agents:
  - {name: first, type: set, value: "hello {{ workflow.input.name }}", routes: [{to: second}]}
  - {name: second, type: set, value: "bye {{ workflow.input.name }}", routes: [{to: $end}]}
output: {both: "{{ first.output }}, {{ second.output }}"}
`,
    });
    await place.run(['run', 'greet.yaml', '-i', 'name=Ada', '--run-id', 'origin']);
    const { stdout: journal } = await place.run(['events', 'origin']);
    const entries = journal
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { seq: number; type: string; key?: string });
    const at = entries.find(({ type, key }) => type === 'recorded' && key?.includes('first') === true)?.seq ?? 0;
    const forked = await place.run(['fork', 'origin', '--at', String(at), '-i', 'name=Bob', '--run-id', 'copy']);
    expect(forked.stderr).toContain(`copy has the first ${at} entries of origin.`);
    expect([forked.code, JSON.parse(forked.stdout)]).toEqual([0, { both: 'hello Ada, bye Bob' }]);
    expect((await place.run(['events', 'origin'])).stdout).toBe(journal);
    expect((await place.run(['verify', 'copy'])).code).toBe(0);
    const end = await place.run(['fork', 'origin', '--at', String(entries.length)]);
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('The nearest entries where it can')]);
    place.remove();
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The first line that a program prints. */
async function firstLine(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    stream?.on('close', () => reject(new Error(`It printed no line, but ${JSON.stringify(text)}`)));
  });
}
