import { execute } from './scene.js';
import { temporaryFile } from './store.js';

/** A graph of one node that leads back to itself; `sqlite` keeps a checkpoint of every step before the next one begins. */
export async function make(load, variant) {
  const { Annotation, END, START, StateGraph } = await load('@langchain/langgraph');
  const state = Annotation.Root({ n: Annotation(), steps: Annotation() });
  const checkpointer = variant === 'sqlite' ? await openSaver(load) : undefined;
  const graph = new StateGraph(state)
    .addNode('count', async ({ n }) => ({ n: (await execute({ n })).next }))
    .addEdge(START, 'count')
    .addConditionalEdges('count', ({ n, steps }) => (n < steps ? 'count' : END))
    .compile({ checkpointer });
  let threads = 0;
  return async (steps) => {
    threads += 1;
    const options = { recursionLimit: steps + 10, durability: 'sync', configurable: { thread_id: `run-${threads}` } };
    const { n } = await graph.invoke({ n: 0, steps }, options);
    return n === steps ? 'done' : `counted to ${n}`;
  };
}

async function openSaver(load) {
  const { SqliteSaver } = await load('@langchain/langgraph-checkpoint-sqlite');
  return SqliteSaver.fromConnString(temporaryFile('checkpoints.db'));
}
