import { type BuiltInKind, rootCause } from 'fullstop';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandsIn, Desk, filledIn } from './command-line.fixture.js';
import { type Advice, endRun, type Program, runId } from './program-parts.fixture.js';
import { allAdvice } from './programs.fixture.js';

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk.remove());

/** A run that has ended so, in the store. */
async function storedRun(advice: Advice): Promise<Program> {
  const engine = desk.store();
  const { before, after = before } = advice.make();
  await endRun(before, advice, engine);
  await engine.close();
  return after;
}

/** A worker of the program executes what a command opened. */
async function kindAfter(program: Program, segment: number): Promise<string> {
  const engine = desk.store();
  const worker = engine.worker([program]);
  try {
    const { termination } = await engine.waitForEnding(runId, segment);
    return rootCause(termination).kind;
  } finally {
    await worker.stop();
    await engine.close();
  }
}

async function follow(kind: BuiltInKind, advice: Advice, command: string): Promise<void> {
  const program = await storedRun(advice);
  const { code, error } = await desk.type(filledIn(command));
  expect({ command, code, error: code === 0 ? '' : error }).toEqual({ command, code: 0, error: '' });
  if (/ (show|events) /.test(command)) return;
  const next = await kindAfter(program, 2);
  if (command.includes(' cancel ')) expect(next).toBe('cancelled');
  else if (kind !== 'indeterminate') expect({ command, next }).not.toEqual({ command, next: kind });
}

describe('the commands that why prints about a run of another program', () => {
  for (const [name, kind, advice] of allAdvice) {
    it(`${name}: each can be typed, and helps`, async () => {
      await storedRun(advice);
      const why = await desk.type(['why', runId]);
      expect(why.code).toBe(0);
      const commands = commandsIn(why.out);
      for (const command of commands) {
        desk.remove();
        desk = new Desk();
        await follow(kind, advice, command);
      }
      expect(commands.length > 0 || advice.unchanged === 'RUN_CLOSED').toBe(true);
    });
  }
});
