/** One thing that a reader of a document does, in the order of the document. */
export type WalkStep =
  | { readonly type: 'save'; readonly line: number; readonly file: string; readonly text: string }
  | {
      readonly type: 'run';
      readonly line: number;
      readonly script: string;
      /** Needs a provider. */
      readonly isLive: boolean;
      /** The output that the document shows. */
      readonly printed: string | undefined;
    }
  | { readonly type: 'session'; readonly line: number; readonly text: string };

const blockPattern = /^```(\S+)(?: (live))?\n([\s\S]*?)^```$/gm;
const titlePattern = /^(?:\/\/|#) (?:examples\/[\w./-]*?)([\w.-]+\.\w+)$/;

/**
 * The steps that a document asks its reader to take: blocks with a title are saved under its last name, commands are run, and a text after commands is what
 * they print. A block that could not be followed is an error, so that no part of a page is silently left out.
 */
export function readWalk(text: string): readonly WalkStep[] {
  const steps: WalkStep[] = [];
  for (const { 1: language = '', 2: live, 3: body = '', index } of text.matchAll(blockPattern)) {
    const line = text.slice(0, index).split('\n').length;
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ type: 'run', line, script: body, isLive: live === 'live', printed: undefined });
    else if (language === 'console') steps.push(sessionStep(body, line));
    else if (language !== 'text') steps.push(saveStep(body, line));
    else if (last?.type === 'run') steps.splice(-1, 1, { ...last, printed: body });
    // The output of an example right after it is for the tests of examples.
    else if (last?.type !== 'save') throw new Error(`Line ${line} shows an output of nothing.`);
  }
  return steps;
}

/** A session of `fullstop` is compared by the tests of sessions; what another command prints is compared here. */
function sessionStep(text: string, line: number): WalkStep {
  const [command = '', ...printed] = text.split('\n');
  if (/^\$ (?:npx )?fullstop /.test(command)) return { type: 'session', line, text };
  return { type: 'run', line, script: command.slice(2), isLive: false, printed: printed.join('\n') };
}

function saveStep(body: string, line: number): WalkStep {
  const [title = '', ...rest] = body.split('\n');
  const file = titlePattern.exec(title)?.[1];
  if (file === undefined) throw new Error(`The block at line ${line} says not what to save it as: ${title}`);
  return { type: 'save', line, file, text: rest.join('\n') };
}
