import { checkAgent } from '../analyze/check-agent.js';
import { endOfAgent, writeAgentPrompt } from '../events/agent-events.js';
import { speak } from '../events/dialog-events.js';
import { agentStep } from '../perform/agent/agent-step.js';
import { type AgentStep, agentShape } from '../schema/steps/agent.js';
import { type StepTypeRow, stepTypeRow } from './step-type.js';
import { quietAnalysis, routedGraph, usualMachine } from './usual-parts.js';

export const agentType: StepTypeRow = stepTypeRow<AgentStep>({
  shape: agentShape,
  graph: { ...routedGraph, hasOwnEnding: true },
  analysis: {
    ...quietAnalysis,
    asks: ({ dialog }) => (dialog === undefined ? [] : ['answer']),
    outputFields: ({ output, output_mode: mode }) =>
      mode !== 'raw' && output !== undefined && output.size > 0 ? [...output.keys()] : undefined,
    draw: ({ name }) => ({ box: 'round', label: name }),
    check: checkAgent,
  },
  machine: {
    ...usualMachine,
    effect: 'unit',
    asksModel: true,
    limitMs({ timeout_seconds: timeout, max_session_seconds: session }) {
      const seconds = [timeout, session].filter((each) => each !== undefined);
      return seconds.length === 0 ? undefined : Math.min(...seconds) * 1000;
    },
  },
  performer: {
    effect: 'unit',
    perform: agentStep,
    wantedModels: ({ provider, model, validator }) => [
      { provider, model },
      ...(validator?.model === undefined ? [] : [{ provider, model: validator.model }]),
    ],
  },
  progress: { showsCompletion: false },
  events: {
    isAgent: true,
    records: { prompt: writeAgentPrompt },
    asked: (writer, entry, asked) =>
      speak(writer, entry, { ...asked, role: 'agent', content: asked.request.summary ?? '' }),
    answered: (writer, entry, { said, ...asked }) =>
      speak(writer, entry, { ...asked, role: 'user', content: typeof said === 'string' ? said : '' }),
    ended: endOfAgent,
  },
});
