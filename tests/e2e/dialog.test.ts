import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write({ 'plan.yaml': plan });
});
afterEach(() => place.remove());

const plan = `workflow: {name: plan, entry_point: m}
agents:
  - {name: m, prompt: Plan a journey, dialog: {trigger_prompt: when something is missing}, validator: {criteria: is complete}, routes: [{to: dialog}]}
  - {name: dialog, prompt: Sum it up, routes: [{to: $end}]}
output: {plan: "{{ m.output.result }}", sum: "{{ dialog.output.result }}"}
`;

/** Every answer says where in the conversation it belongs: one that is given twice, or left out, shows in the output. */
const script = (delay: string): string => `answers:
  m: [{text: a plan}, {text: a plan for Berlin in May}]
  m (dialog):
    - output: {trigger: true, reason: unclear, question: "Which city?"}
    - text: "Which month?"
    - text: "Which hotel?"
      delay: ${delay}
    - text: "Understood. [READY_TO_CONTINUE]"
  m (validator): [{output: {passed: true, issues: []}}]
  dialog: [{text: all said}]
`;

describe('a scripted dialog', () => {
  it('continues in another process after every turn, also after one in which its process was killed', async () => {
    place.write({ 'script.yaml': script('1h') });
    const start = await place.run(['run', 'plan.yaml', '--scripted', 'script.yaml', '--run-id', 'd', '--no-input']);
    expect(start).toMatchObject({ code: 5 });
    expect(start.stderr).toContain('Which city?');
    const second = await place.run(['answer', 'd', '--value', 'Berlin', '--no-input']);
    expect(second).toMatchObject({ code: 5 });
    expect(second.stderr).toContain('Which month?');

    const { child, finished } = place.start(['answer', 'd', '--value', 'in May', '--no-input']);
    await expect.poll(async () => (await place.run(['events', 'd'])).stdout).toContain('in May');
    child.kill('SIGKILL');
    await finished;
    expect((await place.run(['runs'])).stdout).toContain('its owner is gone');

    place.write({ 'script.yaml': script('1ms') });
    const third = await place.run(['resume', 'd', '--no-input']);
    expect(third).toMatchObject({ code: 5 });
    expect(third.stderr).toContain('Which hotel?');
    const last = await place.run(['answer', 'd', '--value', 'any', '--no-input']);
    expect(last).toMatchObject({ code: 0 });
    expect(JSON.parse(last.stdout)).toEqual({ plan: 'a plan for Berlin in May', sum: 'all said' });
  });
});
