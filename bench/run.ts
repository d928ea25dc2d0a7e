import { benchAdapters } from './adapters.js';
import { benchAgent } from './agent.js';
import { benchCli } from './cli.js';
import { benchCodec } from './codec.js';
import { benchCold } from './cold.js';
import { benchConvergence } from './convergence.js';
import { benchCrowd, benchField, checkField } from './field.js';
import { benchFunctions } from './functions.js';
import { benchImportCost } from './import-cost.js';
import { benchMemory } from './memory.js';
import { benchPipeline } from './pipeline.js';
import { benchPostgres } from './postgres.js';
import { benchResume } from './resume.js';
import { benchSqlite } from './sqlite.js';
import { benchTelemetry } from './telemetry.js';
import { benchTypes } from './types.js';
import { benchWorkflow } from './workflow.js';

const benches: Readonly<Record<string, () => void | Promise<void>>> = {
  field: benchField,
  crowd: benchCrowd,
  import: benchImportCost,
  codec: benchCodec,
  memory: benchMemory,
  agent: benchAgent,
  adapters: benchAdapters,
  cold: benchCold,
  functions: benchFunctions,
  pipeline: benchPipeline,
  types: benchTypes,
  telemetry: benchTelemetry,
  convergence: benchConvergence,
  sqlite: benchSqlite,
  postgres: benchPostgres,
  resume: benchResume,
  workflow: benchWorkflow,
  cli: benchCli,
};

const wanted = process.argv.slice(2);
if (wanted[0] === '--check') {
  await checkField();
  process.exit();
}
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`No benchmark named ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
