export type Loop = typeof import('./loop.js');

let loop: Loop | undefined;

/** The code that executes agents. It is loaded once. */
export async function loadLoop(): Promise<Loop> {
  loop ??= await import('./loop.js');
  return loop;
}
