export interface EndingCodeRow {
  /** Where it is made, below packages/fullstop/src. */
  readonly from: string;
  /** The place in which users meet it. */
  readonly seen: string;
  readonly cause: string;
  readonly fix: string;
}

/** Codes that are not thrown: `error.code` inside an ending, a step, a tool call or a notice. */
export const endingCodes: Readonly<Record<string, EndingCodeRow>> = {
  ABORTED: {
    from: 'agent/machine/stopped-call.ts',
    seen: 'tool call',
    cause:
      'The call was under way when another call of the same answer halted the run. How far it had come is not known.',
    fix: 'Make tools stop at `signal`, and repeat them with `idempotencyKey`.',
  },
  ANSWER_UNFINISHED: {
    from: 'agent/perform/model-attempts.ts',
    seen: '`provider_failed`',
    cause: 'The model broke off its answer with a word that is no end.',
    fix: 'It was asked again already; look at the provider, or add `fallbackModels`.',
  },
  BAD_ARGUMENTS: {
    from: 'agent/machine/round.ts',
    seen: 'tool call',
    cause: 'The arguments that the model wrote are not JSON, or do not fit the schema of the tool.',
    fix: 'Nothing, if it is rare: the model reads what was wrong. `repairToolCall` may correct such calls.',
  },
  BATCH_STOPPED: {
    from: 'workflow/machine/step-result.ts',
    seen: 'member of a group',
    cause: 'Another member failed first, and this one never began.',
    fix: 'Look at the member that failed; `failure_mode: continue_on_error` lets all of them finish.',
  },
  BUDGET_REFUSED: {
    from: 'run/unit/step-outcome.ts',
    seen: 'step',
    cause: 'What the step reserves does not fit what is left of a budget. Uncaught, the run ends with that limit.',
    fix: 'Resume with a larger limit, reserve less, or catch `StepFailed` and continue with something cheaper.',
  },
  CRASH_LOOP: {
    from: 'run/segment/crash-loop.ts',
    seen: '`failed`',
    cause: 'The process died several times in a row while it executed this run, without writing an entry.',
    fix: 'Look for what kills it at the entry that the message names (memory, a native crash), then resume.',
  },
  DENIED: {
    from: 'agent/machine/round.ts',
    seen: 'tool call',
    cause:
      'The call was not made: `permissions` or a person denied it, or its own `beforeTool` halted or finished the run.',
    fix: 'Nothing, if that was meant: the model reads it, unless the run is over.',
  },
  INVALID_RESULT: {
    from: 'run/ending/body-result.ts',
    seen: '`failed`',
    cause:
      'A body returned something else than a termination or `end(termination, output)`, or a callback of a pipeline something that it may not.',
    fix: 'Return one on every path; a forgotten `return` is the usual reason.',
  },
  ISOLATED_ABORTED: {
    from: 'run/isolate/isolate.ts',
    seen: 'step, tool call',
    cause: 'An isolated function was ended because its run was cancelled or its step timed out.',
    fix: 'Nothing: the thread is gone.',
  },
  ISOLATED_EXITED: {
    from: 'run/isolate/isolate.ts',
    seen: 'step, tool call',
    cause: 'The thread of an isolated function ended without a result, as by `process.exit`.',
    fix: 'Return or throw in the function.',
  },
  ISOLATED_OUT_OF_MEMORY: {
    from: 'run/isolate/isolate.ts',
    seen: 'step, tool call',
    cause: 'An isolated function used up the memory of its thread.',
    fix: 'Give it less to do, or a larger limit of memory.',
  },
  ISOLATED_TIMEOUT: {
    from: 'run/isolate/isolate.ts',
    seen: 'step, tool call',
    cause: 'An isolated function took longer than its `timeoutMs`, and its thread was ended.',
    fix: 'Raise it, or look for the loop that never ends.',
  },
  MALFORMED_ANSWER: {
    from: 'models/calls/read-answer.ts',
    seen: '`provider_failed`',
    cause: 'The provider answered with something that is no answer of a model, such as a page of HTML with status 200.',
    fix: 'Check the address of the provider and what is in between.',
  },
  MCP_FAILED: {
    from: 'workflow/perform/agent/mcp.ts',
    seen: '`failed`',
    cause: 'An MCP server of a workflow did not start, or did not list its tools within 60 seconds.',
    fix: 'Run its command by hand, with the environment that the file gives it.',
  },
  MODULE_UNUSABLE: {
    from: 'workflow/perform/units/module-step.ts',
    seen: '`failed`',
    cause: 'A `use:` step names a module that cannot be imported, or an export that is no definition.',
    fix: 'Export what `defineAgent`, `definePipeline`, `defineConvergence` or `defineRun` returns.',
  },
  NO_ANSWER: {
    from: 'agent/perform/perform-compaction.ts',
    seen: '`compaction_failed`',
    cause: 'The model that was asked to summarise the conversation returned no text.',
    fix: 'Use another model in `compaction`, or none.',
  },
  NO_DIRECTORY: {
    from: 'workflow/perform/agent/prompt.ts',
    seen: '`failed`',
    cause: 'The `working_dir` of an agent is no directory.',
    fix: 'Make it, or change `working_dir`.',
  },
  NOT_MADE: {
    from: 'agent/machine/round.ts',
    seen: 'tool call',
    cause: 'The call is beyond `maxToolCalls`.',
    fix: 'Raise the limit when you resume.',
  },
  OUTCOME_UNKNOWN: {
    from: 'run/unit/step-outcome.ts',
    seen: 'step, tool call',
    cause:
      'A once-step or approved call was under way when its process died or another call halted the run; a person who was asked said that it did not happen.',
    fix: 'Find out what happened outside before you do it again.',
  },
  OWNER_UNRESPONSIVE: {
    from: 'run/segment/crash-loop.ts',
    seen: '`failed`',
    cause:
      'The process was alive but silent for the time of its lease, several times in a row: code that never yields.',
    fix: '[Isolate](../agents.md#tools-that-may-never-yield) the step that the message names, then resume.',
  },
  REDIRECTED: {
    from: 'run/notices/deliver.ts',
    seen: 'notice',
    cause: 'The receiver of a notice answered with a redirect, which is not followed.',
    fix: 'Give the target its final address.',
  },
  REPLAY_MISMATCH: {
    from: 'run/segment/engine-failures.ts',
    seen: '`failed`',
    cause:
      'The body asks for something else than its journal holds: the code changed under a run, or it is not deterministic.',
    fix: 'Resume it with the code that wrote the journal, or read [what a release may change](../deploying.md). `alwaysReplay: true` finds such a body in a test.',
  },
  RUN_STOPPED: {
    from: 'adapters/core/foreign-performer.ts',
    seen: 'reason of an abort',
    cause: 'Fullstop stopped the loop of another framework, because of a condition of yours.',
    fix: 'Nothing: the ending says which.',
  },
  SCRIPT_TIMEOUT: {
    from: 'workflow/perform/program/script.ts',
    seen: '`failed`',
    cause: 'A script of a workflow took longer than its `timeout`, and its process group was ended.',
    fix: 'Raise the timeout, or make the script faster.',
  },
  SECRET_IN_KEY: {
    from: 'run/segment/engine-failures.ts',
    seen: '`failed`',
    cause: 'The key of a step holds the value of a secret, where it cannot be sealed.',
    fix: 'Name the operation without it.',
  },
  SKIPPED: {
    from: 'agent/machine/stopped-call.ts',
    seen: 'tool call',
    cause:
      'The run was over, halted, stopped by a hook that threw, or handed to another agent before this call of the same answer began.',
    fix: 'Nothing: the call was not made.',
  },
  SPILL_FOLDER_FOREIGN: {
    from: 'workflow/perform/program/spill-output.ts',
    seen: '`failed`',
    cause: 'The folder for long outputs belongs to somebody else, or is a link.',
    fix: 'Remove it, or name another with `spill_dir`.',
  },
  STEP_CUT_OFF: {
    from: 'run/unit/step-attempt.ts',
    seen: 'step',
    cause: 'The step was under way when its unit was ended from outside; the entry keeps what it had cost.',
    fix: 'Nothing: a resume performs it again.',
  },
  STEP_TIMEOUT: {
    from: 'run/unit/step-attempt.ts',
    seen: 'step, tool call',
    cause: 'The step took longer than its `timeoutMs`.',
    fix: 'Raise it, or make the effect stop at `signal`.',
  },
  STREAM_CUT: {
    from: 'models/calls/read-stream.ts',
    seen: '`provider_failed`',
    cause: 'The stream of the model ended in the middle of its answer.',
    fix: 'It was asked again already; look at the network or the provider.',
  },
  TOO_MANY_ITEMS: {
    from: 'workflow/perform/values/items.ts',
    seen: '`failed`',
    cause: 'A `for_each` has more than 100,000 items.',
    fix: 'Divide the list.',
  },
  TOO_MANY_SUB_WORKFLOWS: {
    from: 'workflow/perform/units/sub-workflow.ts',
    seen: '`failed`',
    cause: 'A file runs itself, and the run has 1,000 sub-workflows already.',
    fix: 'Give the recursion a condition that ends it.',
  },
  UNDO_UNFINISHED: {
    from: 'run/segment/cancellation.ts',
    seen: '`also` of `cancelled`',
    cause: 'An undo step had not finished within `graceMs`.',
    fix: 'Look at what it left behind; raise `graceMs`.',
  },
  UNKNOWN_TOOL: {
    from: 'agent/perform/performer.ts',
    seen: 'tool call',
    cause: 'The model called a tool that it was not offered, or that this release no longer has.',
    fix: 'Nothing, if it is rare: the model reads it and chooses another. After a release, see [what may change](../deploying.md).',
  },
};
