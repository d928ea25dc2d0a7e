import { execFileSync } from 'node:child_process';
import { median } from './interleave.js';

const packages = ['fullstop', 'fullstop/dialects', 'zod', 'ai'] as const;
const rounds = 11;

interface Cost {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** What importing a package adds to a bare node process: time of the import, growth of the resident set. */
export function benchImportCost(): void {
  console.log('\nimport cost over a bare node process (median of 11 processes each)');
  const bare = measureImport(undefined);
  for (const name of packages) {
    const cost = measureImport(name);
    const milliseconds = (cost.milliseconds - bare.milliseconds).toFixed(1).padStart(7);
    const megabytes = (cost.megabytes - bare.megabytes).toFixed(1).padStart(6);
    console.log(`  ${name.padEnd(20)} ${milliseconds} ms ${megabytes} MB`);
  }
}

function measureImport(name: string | undefined): Cost {
  const load = name === undefined ? 'undefined' : `await import(${JSON.stringify(name)})`;
  const program = `
    const rss = process.memoryUsage.rss();
    const start = performance.now();
    ${load};
    const milliseconds = performance.now() - start;
    process.stdout.write(JSON.stringify({ milliseconds, megabytes: (process.memoryUsage.rss() - rss) / 1048576 }));`;
  const runs = Array.from({ length: rounds }, () => {
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
    return JSON.parse(output) as Cost;
  });
  return {
    milliseconds: median(runs.map((run) => run.milliseconds)),
    megabytes: median(runs.map((run) => run.megabytes)),
  };
}
