/** A case in which we deliberately do something else than the reference. */
export interface RunDifference {
  readonly case: string;
  /** `improves`: we succeed, or do what the file says, where the reference does not. `refuses`: the other way round. */
  readonly does: 'improves' | 'refuses';
  readonly why: string;
  /** The outcome here: the printed output, and the message of a refusal. */
  readonly output?: string | null;
  readonly message?: string;
}

/** Every deliberate difference in how recorded cases run, with its reason. */
export const runDifferences: readonly RunDifference[] = [
  {
    case: '023-terminate-in-parallel-at-run',
    does: 'refuses',
    why: 'The reference asks a model with an empty prompt instead of ending. An explicit end has no meaning inside a group: route to it from the group.',
    output: null,
    message: 'terminate',
  },
  {
    case: '028-schema-terminate-template-status',
    does: 'improves',
    why: 'A templated status is accepted and checked when it is rendered.',
    output: '{}',
  },
  {
    case: '070-routes-expr-dotted-name-fails',
    does: 'improves',
    why: 'Plain conditions know dotted names: the very example that introduced explicit ends uses one.',
    output: '{\n  "path": "src>hit0"\n}',
  },
  {
    case: '071-routes-expr-output-dot-fails',
    does: 'improves',
    why: 'Plain conditions know dotted names, that of the current output too.',
    output: '{\n  "path": "src>hit0"\n}',
  },
  {
    case: '178-wait-in-foreach-at-run',
    does: 'improves',
    why: 'The reference asks a model with an empty prompt instead of waiting; here the step waits.',
  },
  {
    case: '150-script-json-merge',
    does: 'improves',
    why: 'What a program prints cannot say with which code it ended.',
    output:
      '{\n  "all": {\n    "stdout": "{\\"k\\": 1, \\"exit_code\\": 42}",\n    "stderr": "",\n    "exit_code": 0,\n    "k": 1\n  }\n}',
  },
  {
    case: 'script-json-shadow',
    does: 'refuses',
    why: 'What a program prints cannot say with which code it ended, so that no route matches here.',
    output: null,
    message: 'route',
  },
];
