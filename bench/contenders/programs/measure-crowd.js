/**
 * One contender in a process of its own, with many runs at once and then many one after the other: how long a run takes in the
 * crowd, how long the event loop is held up, how much memory a run holds, and whether memory grows with the number of runs. Needs --expose-gc.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { closeGate, takeExecuted } from './scene.js';

const options = JSON.parse(process.argv[2]);
const { program, variant, loader, crowd, calls, shortRuns, shortMs, longestMs, patienceMs } = options;

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

function check(answers, executed, expected) {
  const wrong = answers.find((answer) => answer !== 'done');
  if (executed !== expected || wrong !== undefined)
    throw new Error(`The tool ran ${executed} of ${expected} times, and a run answered ${JSON.stringify(wrong)}.`);
}

async function measureAtOnce(once) {
  const before = residentKb();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(5);
  const begun = performance.now();
  const latencies = [];
  const timed = async () => {
    const answer = await once(calls);
    latencies.push(performance.now() - begun);
    return answer;
  };
  check(await Promise.all(Array.from({ length: crowd }, timed)), takeExecuted(), crowd * calls);
  const seconds = (performance.now() - begun) / 1000;
  // Work that never leaves the loop holds it up all the time, which is seen only in its next turn.
  await wait(5);
  delay.disable();
  latencies.sort((one, other) => one - other);
  return {
    perSecond: (crowd * calls) / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    delayP99: delay.percentile(99) / 1e6,
    keptKb: (residentKb() - before) / crowd,
  };
}

/** The memory of all runs while each waits in its first tool call. */
async function measureHeld(once) {
  const before = residentKb();
  const open = closeGate();
  const runs = Array.from({ length: crowd }, () => once(calls));
  let waiting = 0;
  for (let turn = 0; waiting < crowd && turn < 2_000; turn += 1) {
    await wait(5);
    waiting += takeExecuted();
  }
  const heldKb = (residentKb() - before) / crowd;
  open();
  check(await Promise.all(runs), waiting + takeExecuted(), crowd * calls);
  if (waiting !== crowd) throw new Error(`Only ${waiting} of ${crowd} runs were at work at the same time.`);
  return { heldKb };
}

/** The resident set after a quarter of the runs and after all: what a run leaves behind shows in the difference. */
async function measureInARow(once) {
  const end = performance.now() + shortMs;
  let early = 0;
  let inARow = 0;
  for (; inARow < shortRuns && performance.now() < end; inARow += 1) {
    check([await once(1)], takeExecuted(), 1);
    if (early === 0 && (inARow === shortRuns / 4 || performance.now() > end - (shortMs * 3) / 4)) early = residentKb();
  }
  return { inARow, grownKb: residentKb() - early };
}

/** The milliseconds that so many runs took. */
async function warmUp(once, runs) {
  const begun = performance.now();
  for (let made = 0; made < runs; made += 1) check([await once(calls)], takeExecuted(), calls);
  return performance.now() - begun;
}

async function measure() {
  const { make } = await import(program);
  const { load } = await import(loader);
  const once = await make(load, variant);
  await warmUp(once, 15);
  // Two crowds, at the pace of runs whose code is no longer quite cold.
  const seconds = ((await warmUp(once, 5)) / 5 / 1000) * crowd * 2;
  if (seconds * 1000 > longestMs) return { leftOut: seconds };
  return { ...(await measureAtOnce(once)), ...(await measureHeld(once)), ...(await measureInARow(once)) };
}

setTimeout(() => report({ tooSlow: true }), patienceMs);
report(await measure().catch((error) => ({ failed: String(error?.message ?? error).split('\n')[0] })));
