import { expect, it } from 'vitest';
import { type Outcome, readProbes, renderOutcome } from './probes.js';
import { templateRefusals } from './template-refusals.js';

interface Probes {
  readonly contexts: readonly string[];
  readonly probes: readonly { readonly template: string; readonly context: number; readonly expect: Outcome }[];
}

interface Goldens {
  readonly context: string;
  readonly probes: readonly { readonly template: string; readonly expect: Outcome }[];
}

const recorded = readProbes<Probes>('templates');
const goldens = readProbes<Goldens>('template-goldens');

function withoutLine(outcome: Outcome, wanted: Outcome): Outcome {
  if ('ok' in outcome || 'line' in wanted) return outcome;
  const { line: _, ...rest } = outcome;
  return rest;
}

it.each(recorded.probes.filter(({ template }) => !templateRefusals.has(template)))(
  'renders $template as the reference does',
  ({ context, expect: wanted, template }) => {
    const outcome = renderOutcome(template, recorded.contexts[context] ?? '{}');
    expect(withoutLine(outcome, wanted)).toEqual(wanted);
  },
);

const more = readProbes<Probes>('more-templates');

it.each(more.probes)('renders $template as the reference does, found by random probes', (probe) => {
  const outcome = renderOutcome(probe.template, more.contexts[probe.context] ?? '{}');
  expect(withoutLine(outcome, probe.expect)).toEqual(probe.expect);
});

it('refuses exactly the listed templates of those the reference renders', () => {
  const refused = recorded.probes
    .filter(({ context, expect: wanted, template }) => {
      const outcome = renderOutcome(template, recorded.contexts[context] ?? '{}');
      return 'ok' in wanted && !('ok' in outcome);
    })
    .map(({ template }) => template);
  expect(refused).toEqual([...templateRefusals.keys()]);
});

it(`returns the recorded text or kind of failure for ${goldens.probes.length} random templates`, () => {
  const different = goldens.probes.filter(({ expect: wanted, template }) => {
    const outcome = renderOutcome(template, goldens.context);
    return 'ok' in wanted
      ? !('ok' in outcome) || outcome.ok !== wanted.ok
      : 'ok' in outcome || outcome.err !== wanted.err;
  });
  expect(different).toEqual([]);
});
