import { allKinds, type BuiltInKind, rootCause } from 'fullstop';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandsIn, Desk, filledIn } from './command-line.fixture.js';
import { type Advice, type Program, runId, runInside } from './program-parts.fixture.js';
import { allAdvice, programs } from './programs.fixture.js';

/** The module that the workflow file uses finds the program here, as it is at that moment. */
const place: { program?: Program } = {};
(globalThis as { adviceUnit?: unknown }).adviceUnit = {
  name: 'p',
  kinds: allKinds(),
  within: (context: { readonly segment: number }) => runInside(place.program as Program, context),
};

const file = `workflow: {name: w, entry_point: c}
agents: [{name: c, type: pipeline, use: "./module.mjs#unit"}]
output: {v: "{{ c.output }}"}
`;

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk.remove());

/** The cause that a run ended with. */
async function causeOf(id: string): Promise<BuiltInKind | undefined> {
  const engine = desk.store();
  try {
    const ending = await engine.ending(id);
    return ending && (rootCause(ending.termination).kind as BuiltInKind);
  } finally {
    await engine.close();
  }
}

/** Kinds that a run of a file does not come to by itself. */
const ways: Partial<Record<BuiltInKind, () => Promise<void>>> = {
  gate_expired: async () => {
    await expect
      .poll(async () => {
        await desk.type(['resume', runId]);
        return causeOf(runId);
      })
      .toBe('gate_expired');
  },
  cancelled: async () => {
    await desk.type(['cancel', runId]);
  },
};

/** A program whose run can be cancelled while it waits. */
const makeOf = (kind: BuiltInKind, { make }: Advice): Advice['make'] =>
  kind === 'cancelled' ? programs.interaction_pending.make : make;

/** Runs the file around a program until it ends so; returns what was printed at the end. */
async function endedRun(kind: BuiltInKind, advice: Advice): Promise<string> {
  const { before, after = before } = makeOf(kind, advice)();
  place.program = before;
  desk.write('w.yaml', file);
  desk.write('module.mjs', 'export const unit = globalThis.adviceUnit;');
  const { error } = await desk.type(['run', 'w.yaml', '--run-id', runId]);
  await ways[kind]?.();
  place.program = after;
  return error;
}

/** Endings of a part that are a success for the file around it. */
const causes = (kind: BuiltInKind): readonly BuiltInKind[] => {
  const { unchanged } = programs[kind];
  if (kind === 'terminated') return ['terminated'];
  if (kind === 'budget_pressure' || unchanged === 'RUN_CLOSED') return ['flow_completed'];
  return kind === 'child_failed' ? ['max_iterations'] : [kind];
};

async function follow(kind: BuiltInKind, advice: Advice, command: string): Promise<void> {
  const before = await endedRun(kind, advice).then(() => causeOf(runId));
  const { code, error } = await desk.type(filledIn(command));
  expect({ command, refused: code === 2 ? error : '' }).toEqual({ command, refused: '' });
  const after = await causeOf(runId);
  if (command.includes(' cancel ')) expect(after).toBe('cancelled');
  else if (/ (resume|answer) /.test(command) && kind !== 'indeterminate')
    expect({ command, after }).not.toEqual({ command, after: before });
  else expect(after).toBe(before);
}

describe('the commands after a run of a workflow file', () => {
  // A run is abandoned by a sweep of its own program; one of a file is found orphaned, and resumed.
  for (const [name, kind, advice] of allAdvice.filter(([each]) => each !== 'abandoned'))
    it(`${name}: each can be typed, and helps`, async () => {
      const banner = await endedRun(kind, advice);
      expect(causes(kind)).toContain(await causeOf(runId));
      const commands = commandsIn((await desk.type(['why', runId])).out);
      if (causes(kind)[0] !== 'flow_completed' && ways[kind] === undefined)
        expect(commandsIn(banner)).toEqual(commands);
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) {
        desk.remove();
        desk = new Desk();
        await follow(kind, advice, command);
      }
    });
});

describe('a store that was named', () => {
  it('is named in every command that is printed', async () => {
    place.program = programs.interaction_pending.make().before;
    desk.write('w.yaml', file);
    desk.write('module.mjs', 'export const unit = globalThis.adviceUnit;');
    const store = ['--store', 'my runs.db'];
    const { error } = await desk.type(['run', 'w.yaml', '--run-id', runId, ...store]);
    const { out } = await desk.type(['why', runId, ...store]);
    const listed = (await desk.type(['answer', runId, ...store])).out;
    const [answer = '', cancel = ''] = commandsIn(out);
    expect(answer).toBe("fullstop answer r c/call_1 --approve --store 'my runs.db'");
    expect(commandsIn(error)).toEqual([answer, cancel]);
    expect(commandsIn(listed)).toEqual([answer]);
    expect((await desk.type(answer)).code).toBe(0);
  });
});
