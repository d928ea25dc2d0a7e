import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

describe('a cost that is not known', () => {
  it('is a question mark wherever costs are shown, and never nothing', async () => {
    const ran = await place.run(['run', 'ask.yaml', '--scripted', 'good.script.yaml', '--run-id', 'asked']);
    expect(ran.stderr).toMatch(/writer .* 120 tok +\?$/m);
    expect(ran.stderr).toMatch(/run asked · .* · \?$/m);
    expect((await place.run(['runs'])).stdout).toMatch(/asked .* 120 +\? /);
    const shown = (await place.run(['show', 'asked'])).stdout;
    expect(shown).toMatch(/writer {2}natural_end · .* · 120 tok · \?$/m);
    expect(shown).toMatch(/flow_completed · success · .* · 120 tok · \?$/m);
    expect((await place.run(['why', 'asked'])).stdout).toContain('120 tokens · cost ? · started');
    expect((await place.run(['why', 'asked', '--markdown'])).stdout).toContain('120 tokens · cost ?');
    const stats = (await place.run(['stats'])).stdout;
    expect(stats).toMatch(/^1 run, \?, started/);
    expect(stats).toMatch(/flow_completed .* \? +\? +120 /);
    expect(stats).not.toContain('$0');
  });
});

const scripts = `agents:
  - {name: quick, type: script, command: "true"}
  - {name: slow, type: script, command: sleep, args: ["30"]}
parallel: [{name: both, agents: [quick, slow], routes: [{to: $end}]}]
`;

describe('a limit of time', () => {
  it.each([
    ['a script', 'slow', 'agents: [{name: slow, type: script, command: sleep, args: ["30"]}]', 'slow was running'],
    ['a wait', 'slow', 'agents: [{name: slow, type: wait, duration: 30s}]', 'slow was running'],
    // On a busy machine the quick one may still be at work, too.
    ['a member of a group', 'both', scripts, 'both\\.slow (was|were) running'],
  ])('names the step that was at work: %s', async (_what, entry, steps, words) => {
    place.write({
      'late.yaml': `workflow: {name: late, entry_point: ${entry}, limits: {timeout_seconds: 4}}\n${steps}\n`,
    });
    const { code, stderr } = await place.run(['run', 'late.yaml']);
    expect(code).toBe(3);
    expect(stderr).toMatch(new RegExp(`the run had taken .* of 4 s while .*${words}`));
    expect((await place.run(['why'])).stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(words));
  });
});

describe('a failure of one item of many', () => {
  const file = (mode: string, agent: string): string => `workflow: {name: each, entry_point: list}
agents:
  - {name: list, type: set, values: {items: '[{"id": "alpha"}, {"id": "beta"}, {"id": "gamma"}]'}, routes: [{to: all}]}
for_each:
  - name: all
    type: for_each
    source: list.output.items
    as: item
    key_by: id
    max_concurrent: 1
    failure_mode: ${mode}
    agent: ${agent}
    routes: [{to: $end}]
`;

  it.each(['fail_fast', 'all_or_nothing'])('names the item, of an agent and of a script (%s)', async (mode) => {
    place.write({
      'agents.yaml': file(mode, '{name: one, prompt: "Do {{ item.id }}"}'),
      'agents.script.yaml': 'answers: {one: [{text: A}, {error: {status: 400, message: bad thing}}, {text: C}]}',
      'scripts.yaml': file(
        mode,
        `{name: one, type: script, command: "{{ 'no-such' if item.id == 'beta' else 'true' }}"}`,
      ),
    });
    const asked = await place.run(['run', 'agents.yaml', '--scripted', 'agents.script.yaml']);
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('■ all[beta] failed: AI_APICallError: bad thing.'),
    });
    const started = await place.run(['run', 'scripts.yaml']);
    expect({ code: started.code, stderr: started.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('  all[beta] failed\n'),
    });
  });
});

describe('a wait', () => {
  it('shows how long it lasts while it does, and in why', async () => {
    place.write({
      'nap.yaml': 'workflow: {name: nap, entry_point: nap}\nagents: [{name: nap, type: wait, duration: 120s}]\n',
    });
    const run = place.start(['run', 'nap.yaml', '--run-id', 'nap-1']);
    await run.says('nap');
    run.child.kill('SIGKILL');
    const { stderr } = await run.finished;
    expect(stderr).toMatch(/nap wait waits until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+(s|m\d\ds) left\)/);
  });
});

describe('a command of Conductor', () => {
  it.each([
    ['status', 'fullstop runs lists runs'],
    ['stop', 'fullstop cancel RUN'],
    ['gate', 'fullstop answer RUN'],
    ['gate-respond', 'fullstop answer RUN'],
    ['guide', 'fullstop resume RUN --guidance TEXT'],
    ['checkpoint', 'fullstop runs'],
    ['checkpoints', 'fullstop runs'],
    ['replay', 'fullstop show RUN'],
    ['fleet', 'fullstop runs --watch'],
    ['registry', 'name the file'],
    ['plugin', 'mcp_servers'],
    ['update', 'npm install'],
  ])('that is called otherwise here is said to be: %s', async (word, hint) => {
    const { code, stderr } = await place.run([word, '--all']);
    expect(code).toBe(2);
    expect(stderr).toContain(`fullstop has no command "${word}". In place of Conductor's ${word}: `);
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('did you mean');
  });
});
