import { benchAdapters } from './adapters.js';
import { benchAgent } from './agent.js';
import { benchCli } from './cli.js';
import { benchCodec } from './codec.js';
import { benchCold } from './cold.js';
import { benchConvergence } from './convergence.js';
import { benchDashboard } from './dashboard.js';
import { recordSuite } from './field/record-suite.js';
import { writePage } from './field/write-page.js';
import { benchCrowd, benchField, benchSteps, checkField } from './field.js';
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

type Bench = () => void | Promise<void>;

/** Those that compare frameworks write their own part of the page. */
const fieldSuites: Readonly<Record<string, Bench>> = { field: benchField, steps: benchSteps, crowd: benchCrowd };

/** Those that look at our own parts print a table, which is kept. */
const ownSuites: Readonly<Record<string, Bench>> = {
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
  dashboard: benchDashboard,
};
const benches = { ...fieldSuites, ...ownSuites };
const flags = ['--check', '--quick', '--long'];

const given = process.argv.slice(2);
const wanted = given.filter((name) => !flags.includes(name));
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(
    `No benchmark named ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}; flags are ${flags.join(', ')}.`,
  );
  process.exit(2);
}
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
if (given.includes('--check')) {
  await checkField(isWanted);
} else {
  for (const [name, bench] of Object.entries(fieldSuites)) if (isWanted(name)) await bench();
  const own = Object.entries(ownSuites).filter(([name]) => isWanted(name));
  for (const [name, bench] of own) await recordSuite(name, bench);
  if (own.length > 0) writePage();
}
process.exit();
