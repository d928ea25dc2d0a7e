import type { WorkflowAnalysis } from './analyze-file.js';
import type { PossibleEnding } from './possible-endings.js';

/** The analysis as text, one finding per line. */
export function describeAnalysis(analysis: WorkflowAnalysis): string {
  const { endings, unreachable, deadEnds, cycles, gatesWithoutDeadline, uncertainReferences } = analysis;
  const findings = [
    ...unreachable.map((name) => `${name} is never reached`),
    ...deadEnds.map((name) => `${name} has no route without a condition: if none holds, the run ends as no_route`),
    ...cycles.map(({ units, exits, boundedBy }) => {
      const round = [...units, units[0]].join(' → ');
      if (exits.length === 0) return `${round} has no way out: only max_iterations ends it`;
      return boundedBy === 'max_iterations'
        ? `${round} goes round until a condition fails or max_iterations ends it`
        : `${round} counts its rounds`;
    }),
    ...gatesWithoutDeadline.map((name) => `${name} waits for a person without a deadline`),
    ...uncertainReferences.map(({ path, to, line }) => `${path} (line ${line}) uses ${to}, which may not have run`),
  ];
  const lines = [
    `${analysis.name} can end in ${endings.length} ways:`,
    ...endings.map((ending) => `  ${endingLine(ending)}`),
    ...(findings.length === 0
      ? ['Nothing looks wrong.']
      : ['Worth a look:', ...findings.map((finding) => `  ${finding}`)]),
  ];
  return lines.join('\n');
}

function endingLine({ kind, status, steps, why }: PossibleEnding): string {
  const name = status === undefined ? kind : `${kind} (${status})`;
  return `${name.padEnd(22)} ${steps.length === 0 ? 'any time' : `at ${steps.join(', ')}`}: ${why}`;
}
