import { execute } from './scene.js';
import { serverUrl } from './store.js';

/** Steps of a workflow of DBOS, with nothing around them. */
export async function make(load) {
  const { DBOS } = await load('@dbos-inc/dbos-sdk');
  const counting = DBOS.registerWorkflow(
    async (steps) => {
      let n = 0;
      while (n < steps) ({ next: n } = await DBOS.runStep(() => execute({ n }), { name: 'count' }));
      return n;
    },
    { name: 'counting' },
  );
  const own = { applicationVersion: '1', executorID: 'bench' };
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: serverUrl(), logLevel: 'error', ...own });
  await DBOS.launch();
  return async (steps) => {
    const n = await (await DBOS.startWorkflow(counting)(steps)).getResult();
    return n === steps ? 'done' : `counted to ${n}`;
  };
}
