import type { AgentInput } from '../agent/options/agent-options.js';
import { checkAgentInput } from '../agent/options/check-agent-input.js';
import type { ModelMessage } from '../models/message.js';
import { invalidOption, oneWord, wholeLimit } from '../stop/check-option.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import type { SendOptions } from './conversation.js';
import type { TurnSummary } from './read-turns.js';

const builder = 'A turn';

/** Refuses options that a turn cannot have; those of its run are checked by the agent. */
export function checkSendOptions(options: SendOptions): SendOptions {
  if (!isObject(options)) throw invalidOption(options, { builder, option: '' }, 'an object');
  const { after, replaces, whenBusy } = options as SendOptions;
  for (const option of ['clock', 'engine', 'runId'])
    if (Object.hasOwn(options, option))
      throw invalidOption(options[option], { builder, option }, 'left out: the conversation says where a turn runs');
  if (after !== undefined) wholeLimit(after, { builder, option: 'after' });
  if (replaces !== undefined) wholeLimit(replaces, { builder, option: 'replaces' });
  if (whenBusy !== undefined) oneWord(whenBusy, { builder, option: 'whenBusy' }, ['refuse', 'wait']);
  if (after !== undefined && replaces !== undefined)
    throw invalidOption(after, { builder, option: 'after' }, 'left out where `replaces` is given');
  return options;
}

/** The messages of a turn. One that says nothing is none. */
export function saidIn(input: AgentInput, agent: string): readonly ModelMessage[] {
  checkAgentInput(input, agent);
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (input.length === 0) throw invalidOption(input, { builder, option: 'input' }, 'a text, or at least one message');
  return input;
}

/** The error of a turn that is sent while another is under way or paused. */
export function busyError({ runId, category, conversation }: TurnSummary): FullstopError {
  const isPaused = category === 'paused';
  return new FullstopError(
    'TURN_REFUSED',
    `No turn was started in the conversation ${JSON.stringify(conversation.id)}: ${runId} ${isPaused ? 'waits for answers. Answer them' : 'is under way. Wait for its ending'}, or stop it.`,
    { details: { reason: isPaused ? 'paused' : 'running', runId, conversation: conversation.id } },
  );
}
