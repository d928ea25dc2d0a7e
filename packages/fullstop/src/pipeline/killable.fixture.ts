import { appendFileSync } from 'node:fs';
import { defineAgent } from '../agent/define-agent.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';

/** A pipeline that writes down what it does; with `stuck` its agent never comes back from its second call of a tool. */
export function killable(effects: string, stuck: boolean) {
  const note = (what: string): string => {
    appendFileSync(effects, `${what} ${process.pid}\n`);
    return what;
  };
  const call = (tool: string) => ({ toolCalls: [{ tool, input: {} }] });
  const tool = (name: string, execute: () => unknown) => ({ [name]: { inputSchema: { type: 'object' }, execute } });
  const agent = defineAgent({
    name: 'writer',
    // The answers that the process before had got are in the journal.
    model: scriptedModel(stuck ? [call('first'), call('second')] : [{ text: 'a draft' }]),
    tools: {
      ...tool('first', () => note('first tool')),
      ...tool('second', () => {
        note('second tool');
        return stuck ? new Promise(() => undefined) : 'ok';
      }),
    },
  });
  return pipeline('killable')
    .stage('collect', () => note('collect'))
    .phase('writing', (phase) =>
      phase
        .stage('outline', () => note('outline'))
        .stage(
          'draft',
          using(agent, () => 'Write'),
        ),
    )
    .stage('publish', ({ draft }) => note(`publish ${draft.output}`));
}
