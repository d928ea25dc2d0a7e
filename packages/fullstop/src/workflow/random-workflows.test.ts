import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestAnswer } from '../engines/port/request.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../termination/kinds.js';
import { checkJournal } from '../testing/check-journal.js';
import { conductorEvents } from './conductor-events.js';
import { modelOf, type RandomWorkflow, randomWorkflow } from './random-workflow.fixture.js';
import { workflowFrom, world } from './workflow.fixture.js';
import type { WorkflowResult } from './workflow.js';

const runs = Number(process.env['FULLSTOP_RANDOM_WORKFLOWS'] ?? 100);

/** An answer to everything that a run asks. */
function answersTo(termination: AnyTermination): Readonly<Record<string, RequestAnswer>> {
  if (termination.kind === 'gate_pending') {
    return Object.fromEntries(
      termination.gates.map(({ gateId, options }) => [gateId, { decision: 'value', value: options?.[0]?.value ?? '' }]),
    );
  }
  if (termination.kind !== 'interaction_pending') return {};
  return Object.fromEntries(
    termination.requests.map(({ id, options }) => [id, { decision: 'value', value: options?.[0]?.value ?? 'yes' }]),
  );
}

/** Resumes as long as there is something to go on with. */
async function goOn(first: WorkflowResult): Promise<readonly WorkflowResult[]> {
  const results = [first];
  for (let turn = 1; turn <= 4 && results.at(-1)?.open === true; turn += 1) {
    const last = results.at(-1) as WorkflowResult;
    const answers = answersTo(last.termination);
    const options = { maxIterations: 20 * turn, timeoutSeconds: 1e6 * turn };
    try {
      results.push(await last.resume({ ...options, ...(Object.keys(answers).length > 0 && { answers }) }));
    } catch (error) {
      // Only misuse is thrown: here a limit of a unit inside that these options do not raise.
      if (FullstopError.is(error)) break;
      throw error;
    }
  }
  return results;
}

/** Where the call came from is another way when it is replayed. */
function withoutStacks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member: unknown) => (key === 'stack' ? undefined : member)));
}

/** Programs take real time, which a clock that jumps to the next limit takes for nothing. */
function hasProgram({ text, files }: RandomWorkflow): boolean {
  return [text, ...Object.values(files)].some((file) => file.includes('"script"'));
}

/** Which of several programs fails first is for the machine to say, and the others are stopped then. */
function hasRace({ text, files }: RandomWorkflow): boolean {
  return [text, ...Object.values(files)].some((file) => file.includes('"fail_fast"'));
}

function isTimed({ text, files }: RandomWorkflow): boolean {
  return [text, ...Object.values(files)].some((file) => /timeout_seconds|"deadline"/.test(file));
}

describe('workflows at random', () => {
  it('reach the same result when the body is replayed after every step', async () => {
    await fc.assert(
      fc.asyncProperty(randomWorkflow, async (random) => {
        fc.pre(!(hasProgram(random) && (isTimed(random) || hasRace(random))));
        const run = (alwaysReplay: boolean): Promise<WorkflowResult> =>
          workflowFrom(random.text, { lenient: true, model: modelOf(random), files: random.files }).run(
            {},
            { engine: world().engine, skipGates: random.skipGates, alwaysReplay },
          );
        const [once, replayed] = [await run(false), await run(true)];
        expect(withoutStacks(replayed.termination)).toEqual(withoutStacks(once.termination));
        expect(replayed.history).toEqual(once.history);
        expect(replayed.outputText).toEqual(once.outputText);
      }),
      { numRuns: runs },
    );
  }, 300_000);

  it('have one ending per segment, however often they are resumed', async () => {
    await fc.assert(
      fc.asyncProperty(randomWorkflow, async (random) => {
        const workflow = workflowFrom(random.text, { lenient: true, model: modelOf(random), files: random.files });
        const { engine } = world();
        const results = await goOn(await workflow.run({}, { engine, skipGates: random.skipGates }));
        const last = results.at(-1) as WorkflowResult;
        expect(results.map(({ segment }) => segment)).toEqual(results.map((_, index) => index + 1));
        expect(JSON.stringify(last.termination)).not.toContain('REPLAY_MISMATCH');
        await checkJournal(engine, last.runId);
        // Whoever reads the run back finds the same.
        const read = await workflow.result(last.runId, { engine });
        expect(read?.history).toEqual(last.history);
        expect(read?.outputText).toEqual(last.outputText);
        expect(conductorEvents(await last.journal())[0]?.type).toBe('workflow_started');
      }),
      { numRuns: runs },
    );
  }, 300_000);
});
