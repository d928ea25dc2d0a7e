import type { ResumeBody } from '../api/contract.js';

/** The run that an action is about, as far as its dialog has to name it. */
export interface Subject {
  readonly runId: string;
  readonly name: string;
  /** Why it is where it is. */
  readonly sentence?: string;
}

/** Suggested values of an action, by their names in its body. */
export type Suggested = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** An action that someone is about to take. */
export type OpenedAction =
  | { readonly type: 'answer'; readonly subject: Subject; readonly requestId?: string | undefined }
  | {
      readonly type: 'resume';
      readonly subject: Subject;
      readonly values: Suggested;
      readonly asks: readonly string[];
    }
  | { readonly type: 'retry'; readonly subject: Subject }
  | { readonly type: 'cancel'; readonly subject: Subject }
  | { readonly type: 'fork'; readonly subject: Subject; readonly at: number }
  | {
      readonly type: 'bulk';
      readonly action: 'resume' | 'retry' | 'cancel';
      readonly title: string;
      readonly runIds: readonly string[];
      /** How many there are in all, where not every one is listed. */
      readonly count: number;
      readonly changes: ResumeBody;
    };

/** The ways out of a dialog, and a place to say what became of it. */
export interface DialogEnds {
  readonly onClose: () => void;
  readonly onDone: (message: string, runId?: string) => void;
}
