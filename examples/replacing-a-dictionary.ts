import { terminations } from 'fullstop';
import { pipeline } from 'fullstop/pipeline';

const findings = ['the second paragraph has no source', 'a date is wrong'];

// Before: reasons were strings in a dictionary next to the result, written in one place and parsed in another.
const reasons = new Map<string, string>();
const before = pipeline('article').stage('cold-read', () => findings, {
  onCompleted: ({ name }) => {
    reasons.set(name, `Completed — ${findings.length} finding(s) recorded`);
  },
});
for (const { name } of (await before.run()).stages) console.log(name, '·', reasons.get(name));

// After: the reason is the stage's own ending, with its evidence as data. The dictionary is gone.
const after = pipeline('article', { customTags: ['Completed'] }).stage('cold-read', () => findings, {
  onCompleted: (run) =>
    run.outcome === 'succeeded'
      ? // The tag keeps the series that dashboards already have.
        terminations.custom({
          reason: 'Completed',
          category: 'success',
          tag: 'Completed',
          properties: { findings: run.output.length },
        })
      : undefined,
});
for (const { name, tag, termination } of (await after.run()).stages) {
  console.log(name, '·', tag, '·', termination.kind === 'custom' ? termination.properties : termination);
}
