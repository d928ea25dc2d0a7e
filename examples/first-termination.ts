import { category, describe, match, nextAction, type Termination, tagOf, terminations } from 'fullstop';

// Why a run stopped, with evidence: the type says which endings are possible here.
type Ending = Termination<'natural_end' | 'max_iterations' | 'provider_failed'>;

function report(ending: Ending): string {
  return match(ending, {
    natural_end: () => 'publish the answer',
    max_iterations: (t) => `resume with more than ${t.limit} ${t.unit}s`,
    provider_failed: (t) => `try again in ${t.retryAfterMs ?? 60_000} ms`,
    // Omit an arm, misspell one or add one that cannot happen, and this does not compile.
  });
}

const endings: readonly Ending[] = [
  terminations.naturalEnd(),
  terminations.maxIterations({ limit: 25, used: 25 }),
  terminations.providerFailed({ status: 429, attempts: 3, retryAfterMs: 2000 }),
];

for (const ending of endings) {
  console.log(`${tagOf(ending)} · ${category(ending)} · ${report(ending)}`);
  console.log(`  ${describe(ending)} ${nextAction(ending)}`);
}
