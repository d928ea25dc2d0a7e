/**
 * One contender in a process of its own, with many runs at once and then many one after the other: how long a run takes in the
 * crowd, how much memory it holds, and whether memory grows with the number of runs. Needs --expose-gc.
 */
import { takeExecuted } from './scene.js';

const { program, variant, loader, crowd, calls, shortRuns, patienceMs } = JSON.parse(process.argv[2]);

function report(result) {
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
}

function residentKb() {
  globalThis.gc();
  return process.memoryUsage.rss() / 1024;
}

function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function check(answers, expected) {
  const executed = takeExecuted();
  const wrong = answers.find((answer) => answer !== 'done');
  if (executed !== expected || wrong !== undefined)
    throw new Error(`The tool ran ${executed} of ${expected} times, and a run answered ${JSON.stringify(wrong)}.`);
}

async function measureAtOnce(once) {
  const before = residentKb();
  const begun = performance.now();
  const latencies = [];
  const timed = async () => {
    const answer = await once(calls);
    latencies.push(performance.now() - begun);
    return answer;
  };
  check(await Promise.all(Array.from({ length: crowd }, timed)), crowd * calls);
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((one, other) => one - other);
  const p50 = quantile(latencies, 0.5);
  const p99 = quantile(latencies, 0.99);
  return { perSecond: (crowd * calls) / seconds, p50, p99, keptKb: (residentKb() - before) / crowd };
}

/** The resident set after a quarter of the runs and after all: what a run leaves behind shows in the difference. */
async function measureInARow(once) {
  let early = 0;
  for (let made = 0; made < shortRuns; made += 1) {
    check([await once(1)], 1);
    if (made === Math.floor(shortRuns / 4)) early = residentKb();
  }
  return { grownKb: residentKb() - early };
}

async function measure() {
  const { make } = await import(program);
  const { load } = await import(loader);
  const once = await make(load, variant);
  for (let made = 0; made < 20; made += 1) check([await once(calls)], calls);
  return { ...(await measureAtOnce(once)), ...(await measureInARow(once)) };
}

setTimeout(() => report({ tooSlow: true }), patienceMs);
report(await measure().catch((error) => ({ failed: String(error?.message ?? error).split('\n')[0] })));
