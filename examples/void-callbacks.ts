import { pipeline } from 'fullstop/pipeline';

const log: string[] = [];

// A callback need not return anything: no return value, undefined and null all keep the ending of the work.
const result = await pipeline('p')
  .stage('quiet', () => 1, { onCompleted: ({ name, termination }) => void log.push(`${name}: ${termination.kind}`) })
  .stage('undecided', () => 2, { onCompleted: () => null })
  .stage('broken', () => 3, {
    onCompleted: () => {
      throw new Error('the log is full');
    },
  })
  .run();

console.log(log);
for (const { name, outcome, termination, also } of result.stages) {
  console.log(
    name,
    '·',
    outcome,
    '·',
    termination.kind,
    '·',
    also.map((beside) => beside.kind),
  );
}
