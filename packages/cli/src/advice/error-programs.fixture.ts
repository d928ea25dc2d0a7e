import { halt, maxIterations, memoryEngine, sweepAbandoned, terminations } from 'fullstop';
import { pipeline, using } from 'fullstop/pipeline';
import {
  type Advice,
  agent,
  body,
  call,
  calls,
  done,
  inputSchema,
  outside,
  type Program,
  runId,
} from './program-parts.fixture.js';

/** The advice after interruptions and errors. */
export const errorPrograms = {
  cancelled: {
    make: () => ({ before: agent([{ ...call('echo'), delay: '5s' }, done]) }),
    end: async (program, engine) => {
      const controller = new AbortController();
      const running = program.run('go', { engine, runId, signal: controller.signal });
      controller.abort('no longer needed');
      await running;
    },
    says: 'Nothing to do; resume the run if it should continue after all.',
    ways: [{}],
    unchanged: 'allowed',
  },
  halted: outside(
    () => {
      let halts = true;
      const stop = {
        inputSchema,
        execute: () => {
          if (!halts) return 'fine';
          halts = false;
          return halt('enough');
        },
      };
      return agent([call('stop'), call('stop'), done], { tools: { stop } });
    },
    'Resolve what the tool stop stopped the run for, then resume.',
    'resolve what the tool found',
  ),
  abandoned: {
    make: () => ({ before: agent([call('echo'), done, done]) }),
    end: async (program, engine) => {
      const hour = 3_600_000;
      const clock = { now: () => Date.now() - hour, callAt: () => () => undefined };
      const source = memoryEngine({ clock: clock as never });
      await program.run('go', { engine: source, runId });
      await engine.importRun((await source.journal(runId)).slice(0, 4));
      await sweepAbandoned(engine, [program as never], { olderThanMs: 1000 });
    },
    says: 'Resume the run: finished work is kept, and it continues from there.',
    ways: [{}],
    unchanged: 'allowed',
  },

  failed: {
    make: () => ({
      before: body(() => {
        throw new TypeError('no such field');
      }),
      after: body(() => terminations.flowCompleted({ last: 'p' })),
    }),
    says: 'This is a defect: look at the error and its causes, fix the code, then resume.',
    ways: [{}],
    person: 'fix the code',
    unchanged: 'allowed',
  },
  provider_auth: outside(
    () => agent([{ error: 'auth' }, done]),
    'Supply valid credentials for scripted, then resume.',
    'supply credentials',
  ),
  provider_quota: outside(
    () => agent([{ error: { status: 429, code: 'insufficient_quota', message: 'No credit.' } }, done]),
    'Add credit or raise the quota at scripted, then resume.',
    'add credit',
  ),
  provider_failed: outside(
    () => agent([{ error: { status: 503 } }, done]),
    'Try again later.',
    'wait until the provider answers',
  ),
  no_answer: {
    make: () => ({ before: agent([{ finish: 'other' }, { finish: 'other' }, done]) }),
    says: 'Resume to ask again, with guidance or another model if it stays silent.',
    ways: [{}, { guidance: 'Say something.' }],
    unchanged: 'allowed',
  },
  prompt_too_long: {
    make: () => ({
      before: agent([{ error: 'context_length' }]),
      after: agent([done]),
    }),
    says: 'Turn compaction on or use a model with a larger window, then resume.',
    ways: [{}],
    person: 'use a larger model',
    unchanged: 'allowed',
  },
  compaction_failed: {
    make: () => ({
      before: agent([{ error: 'context_length' }], {
        compaction: { strategies: [{ name: 'shrink', compact: () => Promise.reject(new Error('cannot')) }] },
      }),
      after: agent([done, done], {
        compaction: { strategies: [{ name: 'shrink', compact: (messages: readonly unknown[]) => messages.slice(-1) }] },
      }),
    }),
    says: 'Fix the compaction step, then resume.',
    ways: [{}],
    person: 'fix the compaction',
    unchanged: 'allowed',
  },
  output_truncated: {
    make: () => ({ before: agent([{ text: 'half of', error: 'length' }, done], { settings: { maxOutputTokens: 5 } }) }),
    says: 'Resume with a higher output limit, or ask for a shorter answer.',
    ways: [{ settings: { maxOutputTokens: 50 } }, { guidance: 'Be brief.' }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  child_failed: {
    make: () => {
      const inner = agent([...calls('echo', 3), done], { name: 'inner', stopWhen: [maxIterations(2)] });
      return {
        before: pipeline('p').stage(
          'a',
          using(inner as never, () => 'go' as never),
        ) as unknown as Program,
      };
    },
    says: 'Resume with a limit above 2 iterations, or give the run less to do.',
    ways: [{ stopWhen: [maxIterations(9)] }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  no_route: {
    make: () => ({
      before: body(() => terminations.noRoute({ step: 'a', output: 1 })),
      after: body(() => terminations.flowCompleted({ last: 'p' })),
    }),
    says: 'Add a route without a condition to a, then resume with the changed file.',
    ways: [{}],
    person: 'add a route',
    unchanged: 'allowed',
  },
  custom: {
    make: () => ({
      before: body((segment) =>
        segment === 1
          ? terminations.custom({ reason: 'no stock', category: 'capacity' })
          : terminations.flowCompleted({ last: 'p' }),
      ),
    }),
    says: 'Raise the limit or shrink the work, then resume.',
    ways: [{}],
    person: 'what the reason asks for',
    unchanged: 'allowed',
  },
  indeterminate: {
    make: () => ({ before: body(() => terminations.indeterminate({ candidates: ['a', 'b'] })) }),
    says: 'Look into the source of the result; run the call under Fullstop to know the cause next time.',
    person: 'look into the source',
    unchanged: 'allowed',
    stays: true,
  },
} as const satisfies Readonly<Record<string, Advice>>;
