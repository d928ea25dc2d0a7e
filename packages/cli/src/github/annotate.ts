import { appendFileSync } from 'node:fs';
import type { Category } from 'fullstop';
import { whyMarkdown } from '../render/why-markdown.js';
import type { Mask } from '../terminal/terminal.js';
import type { Explanation } from '../why/explanation.js';
import { workflowCommand } from './workflow-command.js';

const levels: Readonly<Record<Category, 'error' | 'notice' | 'warning'>> = {
  success: 'notice',
  paused: 'warning',
  cancelled: 'warning',
  capacity: 'error',
  retryable: 'error',
  fatal: 'error',
};

export interface GitHubJob {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where annotations go: GitHub reads them from any output. */
  readonly write: (text: string) => void;
  /** Hides the values of secrets. */
  readonly mask: Mask;
}

/** In a job of GitHub Actions: an annotation with the ending, and the explanation in the job's summary. */
export function annotate(explanation: Explanation, { env, write, mask }: GitHubJob): void {
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  const { ending, headline, name, because, next } = explanation;
  if (ending !== undefined && ending.outcome !== 'succeeded') {
    const [command] = next.flatMap((action) => action.command ?? []);
    const text = [headline, ...because, ...(command === undefined ? [] : [`Next: ${command}`])].join('\n');
    write(workflowCommand(levels[ending.category], { title: `${name}: ${ending.tag}` }, text));
  }
  const file = env['GITHUB_STEP_SUMMARY'];
  if (file !== undefined && file !== '') appendFileSync(file, mask(`${whyMarkdown(explanation)}\n`));
}
