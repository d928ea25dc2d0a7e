/** Functions for threads of their own, in JavaScript so that every thread can load them. */
export function double(number) {
  return number * 2;
}

export function loopForever() {
  for (;;);
}

export function refuse() {
  throw Object.assign(new RangeError('Not that one.'), { code: 'REFUSED' });
}

export function leave() {
  process.exit(3);
}

export function hoard() {
  const kept = [];
  for (;;) kept.push(new Array(100_000).fill(kept.length));
}

export function makeFunction() {
  return () => 1;
}
