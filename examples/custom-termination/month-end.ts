import { defineTermination } from 'fullstop';
import { pipeline } from 'fullstop/pipeline';
import { z } from 'zod';

/** A custom kind: the books were reconciled, with a number of findings. */
export const reconciled = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number().int().nonnegative() }),
  family: 'completion',
  category: 'success',
});

export const monthEnd = pipeline('month-end', { terminations: [reconciled] })
  .stage('collect', () => ['A-1', 'A-2', 'A-3'])
  .stage('reconcile', ({ collect }) => collect.output.filter((invoice) => invoice !== 'A-1'), {
    onCompleted: (run) => (run.outcome === 'succeeded' ? reconciled({ findings: run.output.length }) : undefined),
  });
