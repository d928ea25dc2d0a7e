/** After five deaths without an entry a run ends as a crash loop, which its owner writes. Twice as many died before that. */
const most = 10;

/** True when reading a run is what kills its owners: it is then set aside without being read. */
export function isReadToDeath(recoveries: number): boolean {
  return recoveries >= most;
}
