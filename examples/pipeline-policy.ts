import { terminations } from 'fullstop';
import { continueOnFailure, fallback, pipeline, retry, timeout } from 'fullstop/pipeline';

let calls = 0;

const article = pipeline('article', {
  limits: { tokens: 50_000, timeMs: 600_000 },
  gate: ({ draft }) => (typeof draft?.output === 'string' ? undefined : 'there is no draft'),
})
  // Decorators work on endings, not only on throws.
  .stage(
    'research',
    fallback(timeout(searchTheWeb, '3m'), () => ['what we already knew'], { when: ({ kind }) => kind !== 'cancelled' }),
  )
  .stage('fetch', retry(flakyFetch, { attempts: 3, when: () => true }))
  .phase(
    'writing',
    (phase) =>
      phase
        .stage(
          'draft',
          ({ research }, { feedback }) => `On ${research.output[0]}${feedback === undefined ? ' and' : ''}`,
          {
            attempts: 2,
            validate: ({ output }) => (output.endsWith(' and') ? 'Finish the sentence.' : undefined),
          },
        )
        .stage('picture', continueOnFailure(drawPicture)),
    { limits: { costUsd: 2 } },
  )
  .stage('review', () => 'good enough', {
    onCompleted: (run) =>
      run.outcome === 'succeeded' ? terminations.custom({ reason: run.output, category: 'success' }) : undefined,
  });

const result = await article.run();
for (const { name, outcome, termination, attempts } of result.stages) {
  console.log(`${name.padEnd(8)} ${outcome.padEnd(9)} ${termination.kind.padEnd(14)} ${attempts}`);
}
console.log(result.termination);

function searchTheWeb(): string[] {
  throw new Error('the search engine is down');
}

function flakyFetch(): string {
  calls += 1;
  if (calls < 3) throw new Error('connection reset');
  return 'the page';
}

function drawPicture(): string {
  throw new Error('no pictures today');
}
