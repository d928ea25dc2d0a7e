/** The message of a thread before it ends. */
export type ThreadMessage =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly code: unknown };

/** The program of the thread, as text: a file of its own would be lost where someone bundles this library. */
export const threadProgram = `
const { parentPort, workerData } = require('node:worker_threads');
const { url, name, input } = workerData;
const fail = (error) => {
  const { name, message, code } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  parentPort.postMessage({ ok: false, name, message, code: typeof code === 'string' ? code : undefined });
};
import(url)
  .then(async (module) => {
    if (typeof module[name] !== 'function')
      throw Object.assign(new Error(url + ' has no function ' + name + ' to isolate.'), { code: 'INVALID_OPTION' });
    parentPort.postMessage({ ok: true, value: await module[name](input) });
  })
  .catch(fail);
`;
