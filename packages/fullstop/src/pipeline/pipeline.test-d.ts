import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent/define-agent.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { match } from '../termination/match.js';
import { terminations } from '../termination/terminations.js';
import { continueOnFailure, fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { reconciled } from './runnable.fixture.js';

const model = scriptedModel([{ text: 'x' }]);
const writer = defineAgent({ name: 'writer', model });
const reconciler = defineAgent({
  name: 'reconciler',
  model,
  output: z.object({ findings: z.array(z.string()) }),
});

describe('later stages see earlier outputs typed', () => {
  it('of functions, agents and nested pipelines', () => {
    const inner = pipeline('inner')
      .accepting<number>()
      .stage('double', ({ input }) => input * 2);
    pipeline('p', { input: z.object({ month: z.string() }) })
      .stage('collect', async ({ input }) => [input.month])
      .stage(
        'write',
        using(writer, ({ collect }) => collect.output.join()),
      )
      .stage(
        'reconcile',
        using(reconciler, ({ write }) => write.output),
      )
      .stage(
        'double',
        using(inner, ({ collect }) => collect.output.length),
      )
      .stage('last', (done) => {
        expectTypeOf(done.input).toEqualTypeOf<{ month: string }>();
        expectTypeOf(done.collect.output).toEqualTypeOf<string[]>();
        expectTypeOf(done.write.output).toEqualTypeOf<string>();
        expectTypeOf(done.reconcile.output).toEqualTypeOf<{ findings: string[] }>();
        expectTypeOf(done.double.output).toEqualTypeOf<number>();
        return true;
      });
  });

  it('of decorated work', () => {
    pipeline('p')
      .stage('one', () => 1)
      .stage(
        'timed',
        timeout(({ one }) => one.output + 1, '1s'),
      )
      .stage(
        'tried',
        retry(({ timed }) => String(timed.output)),
      )
      .stage(
        'either',
        fallback(
          using(writer, ({ tried }) => tried.output),
          ({ one }) => one.output,
        ),
      )
      .stage(
        'maybe',
        continueOnFailure(({ either }) => [either.output]),
      )
      .stage('last', (done) => {
        expectTypeOf(done.timed.output).toEqualTypeOf<number>();
        expectTypeOf(done.tried.output).toEqualTypeOf<string>();
        expectTypeOf(done.either.output).toEqualTypeOf<string | number>();
        expectTypeOf(done.maybe.output).toEqualTypeOf<(string | number)[] | undefined>();
      });
  });

  it('or undefined, where a stage is skippable or advisory', () => {
    pipeline('p')
      .stage('sure', () => 1, { disposition: 'abort' })
      .stage('skippable', () => 2, { skip: ({ sure }) => sure.output > 1 && 'large' })
      .stage('advisory', () => 3, { disposition: 'advisory' })
      .phase('one', (phase) => phase.stage('inside', () => 4, { skip: () => false }))
      .stage('last', ({ sure, skippable, advisory, inside }) => {
        expectTypeOf(sure.output).toEqualTypeOf<number>();
        expectTypeOf(skippable.output).toEqualTypeOf<number | undefined>();
        expectTypeOf(advisory.output).toEqualTypeOf<number | undefined>();
        expectTypeOf(inside.output).toEqualTypeOf<number | undefined>();
      });
  });

  it('of phases', () => {
    const flow = pipeline('p')
      .stage('zero', () => 0)
      .phase('one', (phase) => phase.stage('a', ({ zero }) => [zero.output]).stage('b', ({ a }) => a.output.length), {
        before: ({ zero }) => expectTypeOf(zero.output).toEqualTypeOf<number>(),
      })
      .stage('c', ({ a, b }) => a.output[b.output]);
    expectTypeOf(flow.run).returns.resolves.toHaveProperty('output');
    expectTypeOf<Awaited<ReturnType<typeof flow.run>>['output']>().toEqualTypeOf<number | undefined>();
  });
});

describe('compile errors', () => {
  it('for names that are taken, later stages and misspelt options', () => {
    const flow = pipeline('p').stage('a', () => 1);
    // @ts-expect-error the name is taken
    flow.stage('a', () => 2);
    // @ts-expect-error the name of the input is taken
    flow.stage('input', () => 2);
    // @ts-expect-error b comes later
    flow.stage('c', ({ b }) => b).stage('b', () => 1);
    // @ts-expect-error there is no such field
    flow.stage('b', ({ a }) => a.ouput);
    // @ts-expect-error an unknown option would be ignored
    flow.stage('b', () => 1, { treatAsSucess: () => true });
    // @ts-expect-error a phase sees what came before it only
    flow.phase('x', (phase) => phase.stage('b', ({ c }) => c.output)).stage('c', () => 1);
    // @ts-expect-error the name is taken inside a phase too
    flow.phase('x', (phase) => phase.stage('a', () => 1));
    // @ts-expect-error steps of several stages are not limited
    pipeline('p', { limits: { steps: 4 } });
  });

  it('for input that is missing or of another type', () => {
    const flow = pipeline('p', { input: z.object({ n: z.number() }) }).stage('a', ({ input }) => input.n);
    // @ts-expect-error there must be an input
    () => flow.run();
    // @ts-expect-error of the right type
    () => flow.run({ n: 'x' });
    () => pipeline('p').run();
    const numbered = pipeline('p').stage('n', () => 1);
    const asNumber = ({ n }: { readonly n: { readonly output: number } }): number => n.output;
    // @ts-expect-error the agent wants text
    numbered.stage('w', using(writer, asNumber));
  });
});

describe('callbacks', () => {
  it('say that a stage which may be treated as a success may have no output', async () => {
    const treated = pipeline('p')
      .stage('n', () => 1, { treatAsSuccess: () => true })
      .stage('m', ({ n }) => {
        expectTypeOf(n.output).toEqualTypeOf<number | undefined>();
        return 'text';
      });
    const result = await treated.run();
    expectTypeOf(result.stage('n').output).toEqualTypeOf<number | undefined>();
    pipeline('p').stage('n', () => 1, {
      onCompleted: (run) => {
        if (run.outcome === 'succeeded') expectTypeOf(run.output).toEqualTypeOf<number>();
      },
    });
    pipeline('p').phase('all', (phase) =>
      phase
        .stage('n', () => 1, { treatAsSuccess: () => true })
        .stage('m', ({ n }) => {
          expectTypeOf(n.output).toEqualTypeOf<number | undefined>();
        }),
    );
  });

  it('know the output once the outcome says that there is one', () => {
    pipeline('p', { terminations: [reconciled] }).stage(
      'reconcile',
      using(reconciler, () => 'go'),
      {
        treatAsSuccess: (t) => t.kind === 'max_iterations',
        onCompleted: (run) => {
          if (run.outcome !== 'succeeded') {
            expectTypeOf(run.output).toEqualTypeOf<{ findings: string[] } | undefined>();
            return null;
          }
          // A success of another kind may have no output.
          expectTypeOf(run.output).toEqualTypeOf<{ findings: string[] } | undefined>();
          return reconciled({ findings: run.output?.findings.length ?? 0 });
        },
        validate: ({ output }) => (output.findings.length > 0 ? undefined : 'empty'),
        after: () => terminations.naturalEnd(),
      },
    );
  });
});

describe('the result', () => {
  it('has the kinds of a pipeline, and stages with those of the run’s own too', async () => {
    const flow = pipeline('p', { terminations: [reconciled] })
      .stage('a', () => 1)
      .stage('b', ({ a }) => String(a.output));
    const result = await flow.run();
    match(result.termination, {
      flow_completed: ({ last }) => last,
      child_failed: ({ child }) => child.path,
      criteria_unmet: ({ criteria }) => criteria.join(),
      time_budget: () => '',
      token_budget: () => '',
      cost_budget: () => '',
      gate_pending: () => '',
      interaction_pending: () => '',
      gate_expired: () => '',
      cancelled: () => '',
      failed: () => '',
      abandoned: () => '',
      prompt_too_long: () => '',
      provider_auth: () => '',
      provider_failed: () => '',
      provider_quota: () => '',
    });
    expectTypeOf(result.output).toEqualTypeOf<string | undefined>();
    const stage = result.stage('a');
    expectTypeOf(stage.output).toEqualTypeOf<number | undefined>();
    if (stage.termination.kind === 'billing.reconciled')
      expectTypeOf(stage.termination.findings).toEqualTypeOf<number>();
    // @ts-expect-error there is no such stage
    () => result.stage('c');
  });
});
