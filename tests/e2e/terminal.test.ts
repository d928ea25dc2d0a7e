import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binary, Place } from './binary.js';
import { isInstalled, keys, onTerminal, withoutColours } from './terminal.js';
import { workflows } from './workflows.js';

const hasScript = isInstalled('script');
const hasTmux = isInstalled('tmux');

const gateWithReason = `
workflow: {name: why, entry_point: ask}
agents:
  - name: ask
    type: human_gate
    prompt: "Hold it?"
    options: [{label: Hold, value: hold, route: $end, prompt_for: reason_to_wait}]
output: {why: "{{ ask.output.additional_input.reason_to_wait }}"}
`;

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

describe.skipIf(!hasScript)('on a terminal', () => {
  it('a run shows its steps in colour, with a line that moves while it is running', async () => {
    place.write({ 'nap.yaml': workflows['slow.yaml']?.replace('"30"', '"0.5"') ?? '' });
    const { code, text } = await onTerminal(place, ['run', 'nap.yaml']).over;
    expect(code).toBe(0);
    expect(text).toContain('\u001b[32m✓\u001b[39m nap');
    expect(text).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏].*nap/);
    expect(withoutColours(text)).toContain('"note": "begun"');
  });

  it('a gate is asked, and an answer passes it', async () => {
    const screen = onTerminal(place, ['run', 'refund.yaml', '-i', 'age=60']);
    await screen.shows('Refund an order of 60 days?');
    await screen.shows('Yes');
    screen.press(keys.down);
    screen.press(keys.enter);
    const { code, text } = await screen.over;
    expect(code).toBe(1);
    expect(withoutColours(text)).toContain('Terminated as a failure by refuse: order is 60 days old.');
  });

  it('a question that is answered elsewhere is taken back, and the run is shown to its ending', async () => {
    const screen = onTerminal(place, ['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    await screen.shows('Yes');
    const other = await place.run(['answer', 'gate-1', '--choose', 'reject', '--by', 'maria']);
    expect(other.stdout + other.stderr).toContain('order is 60 days old');
    const { code, text } = await screen.over;
    expect(withoutColours(text)).toContain('Answered elsewhere by maria; the run continues.');
    expect(withoutColours(text)).toContain('Terminated as a failure by refuse: order is 60 days old.');
    expect(code).toBe(1);
  });

  it('a choice that asks for more is asked for it', async () => {
    place.write({ 'why.yaml': gateWithReason });
    const screen = onTerminal(place, ['run', 'why.yaml']);
    await screen.shows('Hold it?');
    screen.press(keys.enter);
    await screen.shows('reason_to_wait');
    screen.press(`friday${keys.enter}`);
    const { code, text } = await screen.over;
    expect(code).toBe(0);
    expect(withoutColours(text)).toContain('"why": "friday"');
  });

  it('Ctrl-C at a gate leaves it open', async () => {
    const screen = onTerminal(place, ['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    await screen.shows('Yes');
    screen.press(keys.interrupt);
    expect((await screen.over).code).toBe(5);
    expect(await place.json(['answer', 'gate-1', '--json'])).toMatchObject([{ id: 'review', type: 'gate' }]);
  });

  it('Ctrl-D at a gate, or where a choice asks for more, leaves it open', async () => {
    place.write({ 'why.yaml': gateWithReason });
    const screen = onTerminal(place, ['run', 'why.yaml', '--run-id', 'gate-1']);
    await screen.shows('Hold it?');
    screen.press(keys.endOfInput);
    expect((await screen.over).code).toBe(5);
    const answering = onTerminal(place, ['answer', 'gate-1']);
    await answering.shows('Hold it?');
    answering.press(keys.enter);
    await answering.shows('reason_to_wait');
    answering.press(keys.endOfInput);
    const { code, text } = await answering.over;
    expect(code).toBe(5);
    expect(withoutColours(text)).toContain('ask stays open.');
    expect(await place.json(['answer', 'gate-1', '--json'])).toMatchObject([{ id: 'ask', type: 'gate' }]);
  });

  it('an answer of several lines keeps them', async () => {
    place.write({ 'why.yaml': gateWithReason.replace('reason_to_wait', 'reason_to_wait, multiline: true') });
    const screen = onTerminal(place, ['run', 'why.yaml']);
    await screen.shows('Hold it?');
    screen.press(keys.enter);
    await screen.shows('reason_to_wait');
    await screen.shows('Enter twice');
    for (const line of ['friday', 'or later', '']) screen.press(`${line}${keys.enter}`);
    const { code, text } = await screen.over;
    expect(code).toBe(0);
    expect(withoutColours(text)).toContain('"why": "friday\\nor later"');
  });

  it('a question is answered with several lines unless the file says otherwise', async () => {
    place.write({
      'ask.yaml': `
workflow: {name: ask, entry_point: q}
agents: [{name: q, type: questions, allow_skip: false, allow_skip_all: false, questions: [{id: a, text: "What happened?"}]}]
output: {a: "{{ q.output.answers.a }}"}
`,
    });
    const screen = onTerminal(place, ['run', 'ask.yaml']);
    await screen.shows('What happened?');
    await screen.shows('Enter twice');
    for (const line of ['first', 'second', '']) screen.press(`${line}${keys.enter}`);
    const { code, text } = await screen.over;
    expect(code).toBe(0);
    expect(withoutColours(text)).toContain('"a": "first\\nsecond"');
  });

  it('Ctrl-C while a step runs ends the run as cancelled by the signal', async () => {
    const screen = onTerminal(place, ['run', 'slow.yaml', '--run-id', 'slow-1']);
    await screen.shows(/nap/);
    screen.press(keys.interrupt);
    expect((await screen.over).code).toBe(130);
    expect(await place.json(['why', 'slow-1', '--json'])).toMatchObject({ ending: { kind: 'cancelled', open: true } });
  });

  it('answer asks what a run asks', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    const screen = onTerminal(place, ['answer', 'gate-1']);
    await screen.shows('Yes');
    screen.press(keys.enter);
    const { code, text } = await screen.over;
    expect(code).toBe(0);
    expect(withoutColours(text)).toContain('review was answered by tester.');
  });

  it('why and runs have colours, and keep to a narrow screen', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    const why = await onTerminal(place, ['why', 'refused-1'], 60).over;
    expect(why.text).toContain('\u001b[31m');
    const lines = withoutColours(why.text).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
    const runs = withoutColours((await onTerminal(place, ['runs'], 44).over).text).split('\n');
    expect(runs.join('\n')).toContain('refused-1');
    expect(Math.max(...runs.map(({ length }) => length))).toBeLessThanOrEqual(44);
  });

  it('a signal from outside at a gate leaves it open too', async () => {
    const screen = onTerminal(place, ['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    await screen.shows('Yes');
    screen.signal('SIGINT');
    expect((await screen.over).code).toBe(5);
    expect(await place.json(['answer', 'gate-1', '--json'])).toMatchObject([{ id: 'review' }]);
  });

  it('runs are watched until Ctrl-C', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const screen = onTerminal(place, ['runs', '--watch']);
    await screen.shows('loop-1');
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-2']);
    await screen.shows('loop-2');
    screen.press(keys.interrupt);
    expect((await screen.over).code).toBe(0);
  });

  it('asks before it erases', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const screen = onTerminal(place, ['erase', 'loop-1']);
    await screen.shows('[y/N]');
    screen.press(`n${keys.enter}`);
    expect((await screen.over).code).toBe(6);
    const left = onTerminal(place, ['erase', 'loop-1']);
    await left.shows('[y/N]');
    left.press(keys.endOfInput);
    expect((await left.over).code).toBe(6);
    expect((await place.run(['why', 'loop-1'])).code).toBe(0);
  });
});

describe.skipIf(!hasTmux)('in tmux', () => {
  it('the screen after a run and a why is what a person should see', async () => {
    const session = `fullstop-${process.pid}`;
    const tmux = (...args: readonly string[]): string =>
      spawnSync('tmux', ['-L', session, ...args], {
        encoding: 'utf8',
        cwd: place.folder,
        env: { ...process.env, LANG: 'C.UTF-8' },
      }).stdout;
    const program = `${process.execPath} ${binary}`;
    tmux(
      'new-session',
      '-d',
      '-x',
      '100',
      '-y',
      '40',
      `sh -c "${program} run refund.yaml -i age=120; ${program} why; echo finished; sleep 600"`,
    );
    try {
      let screen = '';
      for (let tries = 0; tries < 1200 && !screen.includes('finished'); tries += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        screen = tmux('capture-pane', '-p');
      }
      expect(screen).toMatch(/✓ note +set/);
      expect(screen).toMatch(/✗ refuse +terminate · failed +order is 120 days old/);
      expect(screen).toContain('■ Terminated as a failure by refuse: order is 120 days old.');
      expect(screen).toContain('because   age_days = 120 and route 2 of fetch is `age_days > 90`');
      expect(screen).toContain('An explicit end is final. To run again:');
    } finally {
      tmux('kill-server');
    }
  });
});
