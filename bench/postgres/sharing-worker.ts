import { postgresEngine } from 'fullstop/engines/postgres';
import { crews, sharedRun } from './sharing-run.js';

// A separate program: a worker that executes the runs of the crews that it is part of, until it is killed.

const [url = '', ...names] = process.argv.slice(2);
const engine = postgresEngine({ url });
for (const { name, members } of crews)
  if (names.includes(name)) engine.worker([sharedRun(name)], { concurrency: 50 / members });
await engine.list({ limit: 1 });
process.send?.('ready');
