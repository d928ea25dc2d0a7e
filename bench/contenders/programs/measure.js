/**
 * One contender in a process of its own: makes so many steps first, then times runs of a size. Every run is checked: the tool ran
 * as often as it was asked for, and the last answer of the model is what came back.
 */
import { takeExecuted } from './scene.js';

const { program, variant, loader, size, warmUp, runs, patienceMs } = JSON.parse(process.argv[2]);
const longestWarmUp = 200;
const begun = performance.now();

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function timeRun(once, calls) {
  const wall = performance.now();
  const processor = processorMs();
  const answer = await once(calls);
  const timed = {
    wall: ((performance.now() - wall) * 1000) / calls,
    processor: ((processorMs() - processor) * 1000) / calls,
  };
  const executed = takeExecuted();
  if (executed !== calls || answer !== 'done')
    throw new Error(`The tool ran ${executed} of ${calls} times, and the run answered ${JSON.stringify(answer)}.`);
  return timed;
}

async function measure() {
  const imported = performance.now();
  const { make } = await import(program);
  const { load } = await import(loader);
  const once = await make(load, variant);
  const importMs = performance.now() - imported;
  // In runs of one length for all sizes, or a contender that grows would need longer for the same warm-up.
  for (let made = 0; made < warmUp; made += Math.min(longestWarmUp, warmUp - made)) {
    await timeRun(once, Math.min(longestWarmUp, warmUp - made));
    if (performance.now() - begun > patienceMs) return { tooSlow: true };
  }
  // A program defines its stages once, where the others have one loop for any number of steps.
  once.define?.(size);
  const timed = [];
  while (timed.length < runs) {
    timed.push(await timeRun(once, size));
    if (performance.now() - begun > patienceMs) break;
  }
  return { importMs, timed, peakMb: process.resourceUsage().maxRSS / 1024 };
}

const report = await measure().catch((error) => ({ failed: String(error?.message ?? error).split('\n')[0] }));
process.stdout.write(JSON.stringify(report), () => process.exit(0));
