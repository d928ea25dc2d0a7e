import { join } from 'node:path';
import { adapterSets, type FieldContender, here, newerNode, root } from './contenders.js';

const withCheckpoints = join(root, 'bench/contenders/langgraph-sqlite');

/** Steps one after the other that count: functions in a body, a document, a graph. */
export const stepContenders: readonly FieldContender[] = [
  { id: 'bare-steps', name: 'bare await', program: 'bare-steps', ...here, note: 'no record of what happened' },
  {
    id: 'fullstop-workflow',
    name: 'fullstop, workflow from YAML',
    program: 'fullstop-workflow',
    ...here,
    note: 'each step renders a template and asks a condition; the peers call a function',
  },
  { id: 'fullstop-steps', name: 'fullstop, step of a body', program: 'fullstop-steps', ...here },
  {
    id: 'fullstop-pipeline',
    name: 'fullstop, stage of a pipeline',
    program: 'fullstop-pipeline',
    ...here,
    note: 'each stage has an ending of its own and sees the results of those before it; defining the stages is not timed',
  },
  {
    id: 'mastra-workflow',
    name: 'Mastra workflow, dowhile',
    program: 'mastra-workflow',
    folder: join(adapterSets, 'mastra'),
    node: newerNode,
    version: '@mastra/core',
    note: 'on Node 22, which it needs; no storage',
  },
  {
    id: 'langgraph-graph',
    name: 'LangGraph graph, one node that loops',
    program: 'langgraph-graph',
    folder: join(adapterSets, 'langgraph'),
    node: process.execPath,
    version: '@langchain/langgraph',
    note: 'no checkpointer',
  },
  {
    id: 'fullstop-workflow-sqlite',
    name: 'fullstop, workflow from YAML on SQLite',
    program: 'fullstop-workflow',
    variant: 'sqlite',
    ...here,
    note: 'its steps reach nobody outside, so they share the commit of whatever does, here that of the ending',
  },
  {
    id: 'fullstop-steps-sqlite',
    name: 'fullstop, step of a body on SQLite',
    program: 'fullstop-steps',
    variant: 'sqlite',
    ...here,
    note: 'every step is on the disk before the next one begins; so in the rows below it',
  },
  {
    id: 'langgraph-graph-sqlite',
    name: 'LangGraph graph with its SQLite checkpointer',
    program: 'langgraph-graph',
    variant: 'sqlite',
    folder: withCheckpoints,
    node: process.execPath,
    version: '@langchain/langgraph',
    note: "durability `sync`; its checkpointer on libsql, which is fullstop's driver too and needs no compiler",
  },
  { id: 'dbos-steps', name: 'DBOS steps', program: 'dbos-steps', ...here, version: '@dbos-inc/dbos-sdk' },
  {
    id: 'fullstop-steps-dbos',
    name: 'fullstop, step of a body on DBOS',
    program: 'fullstop-steps',
    variant: 'dbos',
    ...here,
    note: 'the journal is on Postgres, and so are the steps of DBOS; the processor time of the server is in neither row',
  },
];
