import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './interleave.js';

const packages = ['fullstop', 'fullstop/dialects', 'zod', 'ai'] as const;
const rounds = 11;
const folder = join(import.meta.dirname, '../.cache/import-cost');

interface Cost {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** The cost that `import` of a package adds to a node process that runs an otherwise empty module: time until it is loaded, resident memory. */
export function benchImportCost(): void {
  console.log(`\nimport cost over a module without imports (median of ${rounds} processes each, in turns)`);
  mkdirSync(folder, { recursive: true });
  const files = [undefined, ...packages].map(writeModule);
  const runs = files.map((): Cost[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, file] of files.entries()) runs[index]?.push(measure(file));
  }
  const [bare, ...costs] = runs.map(medianCost) as [Cost, ...Cost[]];
  for (const [index, name] of packages.entries()) {
    const cost = costs[index] as Cost;
    const milliseconds = (cost.milliseconds - bare.milliseconds).toFixed(1).padStart(7);
    const megabytes = (cost.megabytes - bare.megabytes).toFixed(1).padStart(6);
    console.log(`  ${name.padEnd(20)} ${milliseconds} ms ${megabytes} MB`);
  }
}

/** A module that imports the package, if any, and says how long the process lives and how large it is. */
function writeModule(name: string | undefined): string {
  const file = join(folder, `${name === undefined ? 'nothing' : name.replace('/', '-')}.mjs`);
  const load = name === undefined ? '' : `import ${JSON.stringify(name)};\n`;
  const report = 'JSON.stringify({ milliseconds: performance.now(), megabytes: process.memoryUsage.rss() / 1048576 })';
  writeFileSync(file, `${load}process.stdout.write(${report});\n`);
  return file;
}

function measure(file: string): Cost {
  return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })) as Cost;
}

function medianCost(costs: readonly Cost[]): Cost {
  return {
    milliseconds: median(costs.map((cost) => cost.milliseconds)),
    megabytes: median(costs.map((cost) => cost.megabytes)),
  };
}
