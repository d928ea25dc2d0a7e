import { existsSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

/** A step that takes long the first time, behind one that leaves a mark whenever it runs. */
const behindMark = (step: string, more = ''): string => `
workflow: {name: long, entry_point: mark}
agents:
  - {name: mark, type: script, command: bash, args: ["-c", "echo x >> marks"], routes: [{to: busy}]}
  ${step}
${more}
output: {done: "yes"}
`;

const once = 'test -f again || { touch again; sleep 30; }';

interface Busy {
  readonly during: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

const steps: readonly Busy[] = [
  {
    during: 'a script',
    files: { 'long.yaml': behindMark(`- {name: busy, type: script, command: bash, args: ["-c", "${once}"]}`) },
  },
  { during: 'a wait', files: { 'long.yaml': behindMark('- {name: busy, type: wait, duration: 8s}') } },
  {
    during: 'an agent',
    files: {
      'long.yaml': behindMark('- {name: busy, prompt: Think}'),
      'long.script.yaml': 'answers: {busy: [{text: done, delay: 8s}]}\nexhausted: repeat-last\n',
    },
    args: ['--scripted', 'long.script.yaml'],
  },
  {
    during: 'a sub-workflow',
    files: {
      'long.yaml': behindMark('- {name: busy, type: workflow, workflow: child.yaml}'),
      'child.yaml': `
workflow: {name: child, entry_point: inner}
agents:
  - {name: inner, type: script, command: bash, args: ["-c", "echo y >> marks"], routes: [{to: late}]}
  - {name: late, type: script, command: bash, args: ["-c", "${once}"]}
`,
    },
  },
  {
    during: 'a parallel group',
    files: {
      'long.yaml': behindMark(
        `- {name: quick, type: script, command: bash, args: ["-c", "echo y >> marks"]}
  - {name: late, type: script, command: bash, args: ["-c", "sleep 0.3; ${once}"]}`,
        'parallel: [{name: busy, agents: [quick, late]}]',
      ),
    },
  },
];

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it.each(steps)(
    'during $during leaves one typed ending, and a resume continues at that step',
    async ({ files, args = [] }) => {
      place.write(files);
      const { child, finished, says } = place.start(['run', 'long.yaml', '--run-id', 'long-1', ...args]);
      await says('busy');
      // Said of a step that has been at work for a while. The script that is to be stopped has begun.
      const isBegun = (): boolean => !JSON.stringify(files).includes(once) || existsSync(place.path('again'));
      do await new Promise((done) => setTimeout(done, 700));
      while (!isBegun());
      child.kill(signal);
      const { code, stdout } = await finished;
      expect({ code, stdout }).toEqual({ code: signal === 'SIGINT' ? 130 : 143, stdout: '' });
      expect(await place.json(['why', 'long-1', '--json'])).toMatchObject({
        ending: { kind: 'cancelled', open: true, termination: { by: 'signal', reason: signal } },
      });
      const events = (await place.run(['events', 'long-1', '--format', 'conductor'])).stdout.trim().split('\n');
      expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({
        type: 'workflow_failed',
        data: { error_type: 'InterruptError', stopped_by_user: true },
      });
      const marks = readFileSync(place.path('marks'), 'utf8');
      const resumed = await place.run(['resume', 'long-1']);
      expect({ code: resumed.code, output: JSON.parse(resumed.stdout) }).toEqual({ code: 0, output: { done: 'yes' } });
      expect(readFileSync(place.path('marks'), 'utf8')).toBe(marks);
    },
  );

  it('ends what a script has started, too', async () => {
    const forks = '(while true; do touch alive; sleep 0.1; done) & wait';
    place.write({ 'long.yaml': behindMark(`- {name: busy, type: script, command: bash, args: ["-c", "${forks}"]}`) });
    const { child, finished, says } = place.start(['run', 'long.yaml']);
    await says('busy');
    while (!existsSync(place.path('alive'))) await new Promise((done) => setTimeout(done, 50));
    child.kill(signal);
    await finished;
    rmSync(place.path('alive'));
    // Time is the subject here and below: whoever still lives writes every tenth of a second.
    await new Promise((done) => setTimeout(done, 500));
    expect(existsSync(place.path('alive'))).toBe(false);
  });
});

describe('programs that do not listen', () => {
  /** The program and its child ignore every signal that can be ignored. */
  const deaf = `trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do touch alive; sleep 0.1; done) & wait; while :; do sleep 1; done\n`;
  const step = '{name: busy, type: script, command: bash, args: [deaf.sh]}';

  async function isSilent(): Promise<boolean> {
    rmSync(place.path('alive'), { force: true });
    await new Promise((done) => setTimeout(done, 500));
    return !existsSync(place.path('alive'));
  }

  it('are killed by a second Ctrl-C', async () => {
    place.write({ 'deaf.sh': deaf, 'long.yaml': behindMark(`- ${step}`) });
    const { child, finished } = place.start(['run', 'long.yaml']);
    while (!existsSync(place.path('alive'))) await new Promise((done) => setTimeout(done, 50));
    child.kill('SIGINT');
    await new Promise((done) => setTimeout(done, 300));
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(await isSilent()).toBe(true);
  });

  it('are killed when the first Ctrl-C has ended the run', async () => {
    place.write({ 'deaf.sh': deaf, 'long.yaml': behindMark(`- ${step}`) });
    const { child, finished } = place.start(['run', 'long.yaml']);
    while (!existsSync(place.path('alive'))) await new Promise((done) => setTimeout(done, 50));
    child.kill('SIGINT');
    expect((await finished).code).toBe(130);
    expect(await isSilent()).toBe(true);
  });

  it('are killed when the time of the run is up', async () => {
    const text = behindMark(`- ${step}`).replace(
      'entry_point: mark}',
      'entry_point: mark, limits: {timeout_seconds: 6}}',
    );
    place.write({ 'deaf.sh': deaf, 'long.yaml': text });
    const { code } = await place.run(['run', 'long.yaml']);
    expect(code).toBe(3);
    expect(existsSync(place.path('alive'))).toBe(true);
    expect(await isSilent()).toBe(true);
  });
});

describe('an explicit failure', () => {
  it('has the same exit code, result and banner from run and from resume', async () => {
    place.write({
      'halt.yaml': `
workflow: {name: halt, entry_point: ask}
agents:
  - {name: ask, type: human_gate, prompt: "Sure?", options: [{label: "No", value: "no", route: stop}]}
  - {name: stop, type: terminate, status: failed, reason: "not {{ ask.output.selected }} way", output_template: {ok: "false"}}
`,
    });
    const direct = await place.run(['run', 'halt.yaml', '--skip-gates', '--run-id', 'direct']);
    const paused = await place.run(['run', 'halt.yaml', '--run-id', 'asked']);
    expect(paused.code).toBe(5);
    const answered = await place.run(['answer', 'asked', 'ask', '--choose', 'no', '--no-run']);
    expect(answered.code).toBe(0);
    const resumed = await place.run(['resume', 'asked']);
    const banner = (text: string): string =>
      text
        .slice(text.indexOf('■'))
        .replace(/asked|direct|[\d.]+s/g, '_')
        .replace(/(?:tester chose no at ask|ask chose no by itself: gates are skipped)/, 'chosen');
    expect({ ...resumed, stderr: banner(resumed.stderr) }).toEqual({ ...direct, stderr: banner(direct.stderr) });
    expect(direct).toMatchObject({ code: 1, stdout: '{\n  "ok": false\n}\n' });
    expect(direct.stderr).toContain('Terminated as a failure by stop: not no way.');
    expect(direct.stderr).toContain('fullstop retry direct');
  });
});
