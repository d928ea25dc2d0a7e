import { execute } from './scene.js';

/** A loop that awaits a function, and nothing else. */
export async function make() {
  return async (steps) => {
    let n = 0;
    while (n < steps) ({ next: n } = await execute({ n }));
    return n === steps ? 'done' : `counted to ${n}`;
  };
}
