import { stopConditionsToJson } from '../stop/condition-json.js';
import { hardLimits } from '../stop/hard-limits.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/fullstop-error.js';
import { causeChain } from '../termination/root-cause.js';
import type { PipelineResumeOptions } from './pipeline-definition.js';

/** The options of a resume as the run takes them: what is for an agent goes to the one that ended. */
export function resumeOptions<TOptions extends Omit<PipelineResumeOptions, 'engine'>>(
  options: TOptions,
  before: Ending | undefined,
): Omit<TOptions, 'stopWhen' | 'without' | 'guidance'> {
  const { stopWhen, without, guidance, ...rest } = options;
  refuseSteps(options, before);
  if (stopWhen === undefined && without === undefined && guidance === undefined) return rest;
  const at = options.at ?? pathOfEnded(before);
  const changes = {
    at,
    ...(stopWhen !== undefined && { stopWhen: stopConditionsToJson(stopWhen) }),
    ...(without !== undefined && { without }),
    ...(guidance !== undefined && { guidance }),
  };
  const limits = { ...(stopWhen !== undefined && hardLimits(stopWhen)), ...options.limits };
  return { ...rest, at, changes, ...(Object.keys(limits).length > 0 && { limits }) };
}

/** A pipeline takes steps of its own, so a limit of them would mean something else than it says. */
function refuseSteps({ limits, at }: Omit<PipelineResumeOptions, 'engine'>, before: Ending | undefined): void {
  if (limits?.steps === undefined || (at ?? pathOfEnded(before)) !== '') return;
  throw new FullstopError(
    'INVALID_OPTION',
    'The steps of a whole pipeline cannot be limited; limit those of a stage, with at: path.',
  );
}

/** The innermost unit that an ending comes from. */
function pathOfEnded(ending: Ending | undefined): string {
  const last = ending === undefined ? undefined : causeChain(ending).at(-1);
  return last?.others?.at(-1)?.child.path ?? last?.child.path ?? '';
}
