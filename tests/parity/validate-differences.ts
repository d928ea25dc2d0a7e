/** Cases in which this project deliberately decides otherwise than the reference when a file is checked. */
export interface ValidateDifference {
  readonly case: string;
  /** The difference here: to accept a file that the reference refuses, refuse one that it accepts, or refuse for another reason. */
  readonly does: 'accepts' | 'refuses' | 'refuses_otherwise';
  readonly why: string;
}

export const validateDifferences: readonly ValidateDifference[] = [
  {
    case: '023-terminate-in-parallel-at-run',
    does: 'refuses',
    why: 'A terminate step in a group would be run as a model call with an empty prompt; it is refused before anything runs.',
  },
  {
    case: '028-schema-terminate-template-status',
    does: 'accepts',
    why: 'The status of a terminate step may be a template; the rendered text must be success or failed.',
  },
  { case: '305-validate-parallel-script', does: 'accepts', why: 'Script steps run in parallel groups.' },
  { case: '306-validate-parallel-wait', does: 'accepts', why: 'Wait steps run in parallel groups.' },
  {
    case: '308-validate-parallel-workflow',
    does: 'refuses_otherwise',
    why: 'Sub-workflows run in parallel groups; this one names itself, which is refused unless lenient.',
  },
  { case: '312-validate-foreach-wait', does: 'accepts', why: 'Wait steps run in for_each groups.' },
];
