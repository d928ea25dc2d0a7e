import { pipeline, retry } from 'fullstop/pipeline';

// The root entry is not imported here, and still what is inferred can be named.

export const steps = pipeline('steps')
  .stage('first', () => 'one')
  .stage(
    'second',
    retry(() => 2, { attempts: 2 }),
  );

export const result = steps.run();
