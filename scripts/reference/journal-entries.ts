import type { EntryType } from 'fullstop/journal';

/** Every type of entry with when it is written; a type without a row does not compile. */
export const journalEntries: Readonly<Record<EntryType, string>> = {
  run_started:
    'The first entry of every run: its name, version, input and options; its parent, its turn, or the runs it was forked from.',
  segment_opened:
    'A run is resumed: from which ending, because of what (an answer, an expiry, a resume, a cancel), by whom, and with which changes.',
  step_started: 'A once-step begins. It is committed before the effect, so that a crash in between is known.',
  step_noted: 'An attempt has started something outside, such as a process, which a later attempt ends first.',
  step_ended:
    'A step is over: its value or its error, its attempts and its charge. What the body sees is what stands here.',
  recorded: 'The result of a callback, such as the verdict of a hook or a condition. It is never asked for again.',
  sleep_started: 'A pause begins, until the time given.',
  sleep_ended: 'A pause is over.',
  request_opened: 'A person is asked: what, by when, who may answer, within which options.',
  request_answered: 'The one accepted answer to a request, with who gave it.',
  request_expired: 'Nobody answered in time, and what the request says about that was applied.',
  request_withdrawn: 'The unit that asked has ended, so nobody wants the answer any more.',
  scope_opened: 'A unit begins or continues: a stage, a step of a workflow, a sub-agent, a member of a group.',
  child_spawned: 'A separate run was started by this one.',
  batch_stopped: 'The first failure of a batch stopped its other members, or a limit all of them; some had not begun.',
  batch_evaluated: 'The units that a machine continued with while others waited for a person.',
  observed: 'Counters, usage and verdicts at an evaluation point: what `why` and `what-if` read.',
  emitted: 'An event of the body itself, for those who follow the run.',
  cancel_requested: 'Somebody wants the run to stop: who, and why.',
  unit_ended: 'The ending of a unit, with its output.',
  segment_ended: 'The last entry of a segment: the termination, in its envelope.',
};
