import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

const why = async (run = 'last'): Promise<{ readonly ending: { readonly kind: string; readonly open: boolean } }> =>
  (await place.json(['why', run, '--json'])) as never;

describe('the exit code', () => {
  it('is 0 for a success, and stdout has the result alone', async () => {
    const { code, stdout, stderr } = await place.run(['run', 'refund.yaml', '-i', 'age=5']);
    expect(code).toBe(0);
    expect(stdout).toBe('{\n  "age": 5\n}\n');
    expect(stderr).toContain('Terminated as a success by done: fresh.');
  });

  it('is 1 for an explicit failure, whose result is printed all the same', async () => {
    const { code, stdout, stderr } = await place.run(['run', 'refund.yaml', '-i', 'age=120']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ refunded: false });
    expect(stderr).toContain('age_days = 120 and route 2 of fetch is `age_days > 90`');
    expect((await why()).ending).toMatchObject({ kind: 'terminated', open: false });
  });

  it.each([
    ['an unknown command', ['rnus'], 'fullstop has no command "rnus" (did you mean "runs"?)'],
    [
      'an unknown option',
      ['run', 'refund.yaml', '--inptu', 'a=1'],
      '--inptu is not an option of run (did you mean "--input"?)',
    ],
    ['a missing operand', ['run'], 'Missing argument. Usage: fullstop run FILE'],
    ['a file that is not there', ['run', 'nothing.yaml'], 'There is no file nothing.yaml'],
    [
      'a folder that is a file',
      ['init', 'refund.yaml'],
      'refund.yaml cannot be used (mkdir): there is a file of that name',
    ],
    [
      'a picture in a folder that is not there',
      ['graph', 'refund.yaml', '--svg', 'no/x.svg'],
      'no/x.svg cannot be used',
    ],
    [
      'a module that is not there',
      ['worker', '--module', 'no.mjs#agent'],
      'There is no file no.mjs, which --module names',
    ],
    ['a store to move that is not there', ['migrate', '--from', 'rums.db', '--to', 'new.db'], 'which --from names'],
    ['an invalid file', ['run', 'broken.yaml'], 'broken.yaml:3:'],
    ['a missing input', ['run', 'refund.yaml'], 'Pass them: -i age=NUMBER'],
    ['an input of another type', ['run', 'refund.yaml', '-i', 'age=old'], 'must be a number, not'],
    ['an input without a value', ['run', 'refund.yaml', '-i', 'age'], 'write name=value'],
    ['a run that is not there', ['why', 'r_nothing'], 'There are no runs yet'],
    ['a store of another kind', ['runs', '--store', 'mysql://localhost/runs'], 'is an address of another kind'],
  ])('is 2 for %s, and nothing was started', async (_, args, message) => {
    const { code, stdout, stderr } = await place.run(args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect((await place.run(['runs', '--ids'])).stdout).toBe('');
  });

  it('is 3 for a limit, after which a resume with more continues', async () => {
    const first = await place.run(['run', 'loop.yaml']);
    expect(first.code).toBe(3);
    expect(first.stdout).toBe('');
    expect(first.stderr).toMatch(/fullstop resume r_\w+ --max-iterations 8/);
    const second = await place.run(['resume', 'last', '--max-iterations', '6']);
    expect(second.code).toBe(3);
    expect(second.stderr).toContain('Stopped at the limit of 6 steps (used 6).');
    const same = await place.run(['resume', 'last', '--max-iterations', '6']);
    expect(same.code).toBe(2);
    expect(same.stderr).toContain('LIMIT_UNCHANGED');
  });

  it('is 4 for what may work again, and a policy tries it again by itself', async () => {
    const busy = ['run', 'ask.yaml', '--scripted', 'busy.script.yaml'];
    const first = await place.run(busy);
    expect(first.code).toBe(4);
    expect(first.stderr).toContain('503');
    place.write({ 'policy.yaml': 'retryable: {attempts: 5, backoff: 10ms}\n' });
    const again = await place.run([...busy, '--retry-policy', 'policy.yaml']);
    expect(again.stderr).toContain('Trying again in 10 ms');
    expect({ code: again.code, stdout: JSON.parse(again.stdout) }).toEqual({ code: 0, stdout: { text: 'at last' } });
  });

  it('is 5 at a gate, which an answer then passes', async () => {
    const { code, stdout, stderr } = await place.run(['run', 'refund.yaml', '-i', 'age=60']);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/fullstop answer r_\w+ review --choose approve/);
    const answered = await place.run(['answer', 'last', '--choose', 'approve', '--by', 'maria']);
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.stdout)).toEqual({ age: 60 });
  });

  it('is 6 when someone else cancels', async () => {
    const { finished, says } = place.start(['run', 'slow.yaml', '--run-id', 'nap-1']);
    await says('nap');
    const cancel = await place.run(['cancel', 'nap-1', '--reason', 'wrong ticket', '--by', 'maria']);
    expect(cancel.stderr).toContain('nap-1: Cancelled by an operator: wrong ticket (maria).');
    expect(cancel.code).toBe(0);
    expect((await finished).code).toBe(6);
    expect((await why()).ending).toMatchObject({ kind: 'cancelled', open: true });
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('of %s is %i, with a journalled ending and a run that can be resumed', async (signal, expected) => {
    const { child, finished, says } = place.start(['run', 'slow.yaml']);
    await says('nap');
    child.kill(signal);
    const { code, stdout, stderr } = await finished;
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(`Cancelled by a signal to the process: ${signal}.`);
    const explanation = (await place.json(['why', 'last', '--json'])) as {
      readonly ending: object;
      readonly runId: string;
    };
    expect(explanation.ending).toMatchObject({
      kind: 'cancelled',
      open: true,
      termination: { by: 'signal', reason: signal },
    });
    expect((await place.run(['verify', 'last'])).stdout).toContain('consistent');
  });
});

describe('stdout', () => {
  it('is pure JSON with gates, limits and warnings around', async () => {
    const { stdout, stderr } = await place.run(['run', 'refund.yaml', '-i', 'age=60', '--skip-gates', '--json'], {
      GITHUB_ACTIONS: 'true',
    });
    expect(JSON.parse(stdout)).toMatchObject({
      termination: { kind: 'terminated', by: 'done' },
      outcome: 'succeeded',
      persisted: true,
    });
    expect(stderr).toContain('review');
  });

  it('may be closed by its reader without a crash', async () => {
    for (let count = 0; count < 3; count += 1) await place.run(['run', 'refund.yaml', '-i', 'age=5']);
    for (const command of ['runs --json', 'events last', 'export --all', 'show last']) {
      const { code, stderr } = await pipedToHead(command);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: expect.not.stringContaining('EPIPE') });
    }
  });

  it('may be closed while a run continues, which still reaches its ending', async () => {
    const { stderr } = await pipedToHead('run refund.yaml -i age=5 2>&1');
    expect(stderr).not.toContain('EPIPE');
    expect((await why()).ending).toMatchObject({ kind: 'terminated' });
  });
});

/** `fullstop … | head -1`, with the exit code of fullstop. */
async function pipedToHead(command: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const { spawnSync } = await import('node:child_process');
  const { binary } = await import('./binary.js');
  const script = `set -o pipefail; ${JSON.stringify(process.execPath)} ${JSON.stringify(binary)} ${command} | head -1 > /dev/null; exit \${PIPESTATUS[0]}`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: place.folder, encoding: 'utf8' });
  return { code: status ?? -1, stderr };
}
