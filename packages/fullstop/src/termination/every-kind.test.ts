import { readFileSync } from 'node:fs';
import { expect, it, describe as suite } from 'vitest';
import { arbitraryOf } from './any-termination.fixture.js';
import { category, describe, family, isOpen, nextAction, outcome } from './classify.js';
import { decode, encode } from './codec/codec.js';
import { categories, families } from './ending.js';
import type { BuiltInKind, Termination } from './kinds.js';
import { samples } from './samples.fixture.js';
import { allKinds, table } from './table.js';
import { type TerminationConstructor, terminations } from './terminations.js';

// Enumerates the table: a kind that lacks anything a kind must have fails here.

/** The words that the sentence of each sample has to hold. */
const evidence: { readonly [K in BuiltInKind]: readonly string[] } = {
  natural_end: ['final answer'],
  completed: ['after a tool call'],
  submitted: ['submit_report'],
  converged: ['4 cycles', '1,280 facts'],
  criteria_met: ['every invoice has an owner', 'no open disputes'],
  flow_completed: ['publish'],
  terminated: ['failure', 'check_totals', 'The invoice total does not match its lines'],
  tool_called: ['hand_over_to_support'],
  content_matched: ['"FINAL ANSWER:"'],
  plugin_requested: ['quality-gate', 'the draft scored 9 of 10'],
  skipped: ['no findings to report'],
  max_iterations: ['25 iterations', 'used 25'],
  max_tool_calls: ['40 tool calls', 'used 41'],
  time_budget: ['5 min for the run', 'took 5 min 1 s'],
  token_budget: ['203,114', '200,000 tokens'],
  cost_budget: ['$2.61', '$2.50'],
  cycle_budget: ['100 cycles', 'used 100'],
  fact_budget: ['10,000 facts'],
  budget_pressure: ['80%', 'token budget', 'gave a final answer'],
  stall_detected: ['3 iterations', 'within 2%', '4102, 4098 and 4110'],
  loop_detected: ['search and open_page', '3 times'],
  no_progress: ['5 iterations', 'limit is 5'],
  consecutive_errors: ['3 rounds', 'limit is 3', 'FetchError', 'connect ECONNREFUSED 127.0.0.1:5432'],
  consecutive_mistakes: ['4 mistakes', 'limit is 4', 'bad arguments for create_ticket', 'priority must be'],
  gate_pending: ['1 gate', 'release-4.2', 'Release 4.2 to production?'],
  interaction_pending: ['2 answers', 'approval of refund_payment', 'input for req-2'],
  human_intervention_required: ['legal has signed off', 'approval-19'],
  gate_expired: ['release-4.2', '2026-03-01T12:00:00.000Z'],
  invariant_violated: ['semantic', 'budget_is_consistent', 'the plan costs more than the budget allows'],
  promotion_rejected: ['proposal-12', 'it cites no source'],
  criteria_unmet: ['at least two vendors compared'],
  schema_validation: ['score', 'expected a number, found "high"'],
  structured_output_exhausted: ['3 attempts', 'score', 'unknown field "notes"'],
  post_validation_failed: ['2 attempts', 'the summary is longer than 200 words'],
  agent_refused: ['model of writer', 'it cannot help with this request'],
  cancelled: ['its parent', '$10.04 of $10'],
  halted: ['hook no-secrets', 'the answer contains an API key'],
  abandoned: ['worker-3', '2026-03-01T11:58:30.000Z'],
  failed: ['a tool', 'TypeError', "Cannot read properties of undefined (reading 'id')"],
  provider_auth: ['anthropic', 'HTTP 401'],
  provider_quota: ['openai', 'HTTP 429', 'check your plan'],
  provider_failed: ['5 attempts', 'HTTP 529'],
  no_answer: ['2 attempts', 'finish reason other'],
  prompt_too_long: ['214,530 tokens', '200,000'],
  compaction_failed: ['summarise', 'the summary is longer than the history'],
  output_truncated: ['Thinking', '8,192 tokens'],
  child_failed: ['build › lint', '40 tool calls', '1 other'],
  no_route: ['classify'],
  custom: ['The customer closed the chat'],
  indeterminate: ['max_iterations and natural_end'],
};

/** Numbers that are counted or measured; every other number is a limit of some kind. */
const mayBeZero = new Set([
  'cycles',
  'elapsedMs',
  'facts',
  'retryAfterMs',
  'threshold',
  'tolerance',
  'used',
  'usedUsd',
]);

const recorded: ReadonlyMap<string, string> = new Map(
  readFileSync(new URL('./golden/wire-v1.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [(JSON.parse(line) as Termination).kind, line]),
);

/** Fields that kinds got after their first line was recorded, each once. */
const recordedFields: readonly string[] = readFileSync(
  new URL('./golden/wire-v1-fields.jsonl', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '');

it.each(recordedFields)('reads and writes later fields exactly as they were recorded: %s', (line) => {
  expect(encode(decode(line))).toBe(line);
});

function constructorOf(kind: BuiltInKind): TerminationConstructor<BuiltInKind> | undefined {
  const name = kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return (terminations as unknown as Readonly<Record<string, TerminationConstructor<BuiltInKind> | undefined>>)[name];
}

suite.each(allKinds())('%s', (kind) => {
  const sample: Termination = samples[kind];
  const { kind: _kind, ...fields } = sample;

  it('has a sample, an arbitrary and a constructor that agree on its kind', () => {
    expect(sample.kind).toBe(kind);
    expect(arbitraryOf[kind]).toBeDefined();
    expect(constructorOf(kind)?.kind).toBe(kind);
  });

  it('is made by its constructor from the evidence alone', () => {
    const make = constructorOf(kind) as (fields: object) => Termination;
    expect(make(fields)).toStrictEqual(sample);
    expect(constructorOf(kind)?.is(sample)).toBe(true);
  });

  it('says why it stopped in one sentence that contains the evidence', () => {
    const sentence = describe(sample);
    expect(sentence).toMatch(/^\P{Cc}{10,}\.$/u);
    for (const words of evidence[kind]) expect(sentence).toContain(words);
  });

  it('says what to do next in one sentence', () => {
    expect(nextAction(sample)).toMatch(/^[A-Z]\P{Cc}{10,}\.$/u);
  });

  it('has a family, a category, an outcome and an openness', () => {
    expect(families).toContain(family(sample));
    expect(categories).toContain(category(sample));
    expect(['succeeded', 'skipped', 'paused', 'cancelled', 'failed']).toContain(outcome(sample));
    expect(typeof isOpen(sample)).toBe('boolean');
  });

  it('reads its recorded wire form as the sample', () => {
    expect(decode(recorded.get(kind) as string)).toStrictEqual(sample);
  });

  it('is still written exactly as it was recorded', () => {
    expect(encode(sample)).toBe(recorded.get(kind));
  });

  it('refuses numbers below zero, and zero where it would be no limit', () => {
    const numbers = Object.keys(sample).filter((name) => typeof fields[name as keyof typeof fields] === 'number');
    for (const name of numbers) {
      const refused = expect.objectContaining({ issues: [expect.objectContaining({ code: 'invalid', path: name })] });
      expect(() => encode({ ...sample, [name]: -1 })).toThrow(refused);
      const withZero = { ...sample, [name]: 0 };
      if (mayBeZero.has(name)) expect(decode(encode(withZero))).toStrictEqual(withZero);
      else expect(() => encode(withZero)).toThrow(refused);
    }
  });

  it('refuses a sample that lacks a required field, and names the field', () => {
    const required = Object.entries(table[kind].fields).filter(([, check]) => check.optional !== true);
    for (const [name] of required) {
      const { [name]: _removed, ...rest } = sample as unknown as Record<string, unknown>;
      expect(() => encode(rest as unknown as Termination)).toThrow(
        expect.objectContaining({
          code: 'INVALID_TERMINATION',
          issues: [expect.objectContaining({ code: 'missing', path: name })],
        }),
      );
    }
  });
});

suite('all kinds together', () => {
  it('are the same in table, samples, arbitraries, constructors and recorded wire forms', () => {
    const kinds = [...allKinds()].sort();
    expect(Object.keys(samples).sort()).toEqual(kinds);
    expect(Object.keys(arbitraryOf).sort()).toEqual(kinds);
    expect([...recorded.keys()].sort()).toEqual(kinds);
    const made = Object.values(terminations) as readonly TerminationConstructor<BuiltInKind>[];
    expect(made.map((make) => make.kind).sort()).toEqual(kinds);
  });

  it('are named in snake case', () => {
    for (const kind of allKinds()) expect(kind).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  });

  it('say the sentences and next actions on file', async () => {
    const parts = allKinds().map((kind) => {
      const sample: Termination = samples[kind];
      const facts = `${family(sample)} · ${category(sample)} · ${outcome(sample)} · ${isOpen(sample) ? 'open' : 'closed'}`;
      return `## ${kind}\n\n${facts}\n\n${describe(sample)}\n\n→ ${nextAction(sample)}\n`;
    });
    const text = `# What each kind says about itself\n\n${parts.join('\n')}`;
    await expect(text).toMatchFileSnapshot('./golden/sentences.md');
  });
});
