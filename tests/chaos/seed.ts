/** The seed of a random test: the one in CHAOS_SEED or a new one, printed so that a failure can be repeated. */
export function chaosSeed(suite: string): number {
  const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.log(`${suite} seed: ${seed} (CHAOS_SEED sets it)`);
  return seed;
}
