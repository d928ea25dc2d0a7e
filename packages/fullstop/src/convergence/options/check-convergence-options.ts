import { checkCarried } from '../../run/check-run-options.js';
import { checkOptions, invalidOption, type OptionPlace, oneWord, wholeLimit } from '../../stop/check-option.js';
import { isObject } from '../../termination/json.js';
import { checkFact, checkKey } from '../facts/fact.js';
import type { ConvergenceOptions } from './convergence-options.js';

const builder = 'defineConvergence';

/** All options there are; the type makes sure that none is forgotten. */
const known: Required<Record<keyof ConvergenceOptions, true>> = {
  name: true,
  version: true,
  suggestors: true,
  facts: true,
  seed: true,
  families: true,
  keys: true,
  intent: true,
  invariants: true,
  promotionGates: true,
  gates: true,
  whileOpen: true,
  budgets: true,
  concurrency: true,
  onConflict: true,
  oscillation: true,
  output: true,
  customTags: true,
  treatAsSuccess: true,
  secrets: true,
  graceMs: true,
  onEnding: true,
};

const lists = ['suggestors', 'facts', 'families', 'keys', 'invariants', 'promotionGates', 'gates'] as const;
const callbacks = ['seed', 'output'] as const;

/** How the members of a list are recognised, and how they are made. */
const members = {
  suggestors: { field: 'dependsOn', made: 'suggestor(…)' },
  invariants: { field: 'check', made: 'structural(…), semantic(…) or acceptance(…)' },
  promotionGates: { field: 'admit', made: 'promotionGate(…); gates for people go to gates' },
  families: { field: 'version', made: 'family(…)' },
  gates: { field: 'options', made: 'gate(…); rules in code go to promotionGates' },
} as const;

/** Refuses options that do not exist or cannot be meant: a misspelt rule would be no rule. */
export function checkConvergenceOptions(options: ConvergenceOptions): void {
  checkOptions(options, builder, Object.keys(known) as (keyof ConvergenceOptions)[]);
  checkCarried(options, builder);
  checkForms(options);
  const { whileOpen, onConflict, intent, oscillation, facts = [], keys = [], gates = [] } = options;
  for (const each of facts) checkFact(each);
  checkKeys(keys);
  const proposers = ['input', ...options.suggestors.map(({ name }) => name)];
  for (const {
    options: { by },
  } of gates)
    if (by !== undefined) oneWord(by, { builder: 'gate', option: 'by' }, proposers);
  if (whileOpen !== undefined) oneWord(whileOpen, { builder, option: 'whileOpen' }, ['wait', 'continue']);
  if (onConflict !== undefined) oneWord(onConflict, { builder, option: 'onConflict' }, ['reject', 'end']);
  if (intent !== undefined) checkIntent(intent);
  if (oscillation !== undefined && oscillation !== false) checkOscillation(oscillation);
}

function checkForms(options: ConvergenceOptions): void {
  for (const option of lists) {
    const value = options[option];
    if ((value !== undefined || option === 'suggestors') && !Array.isArray(value))
      throw invalidOption(value, { builder, option }, 'a list');
  }
  for (const [option, form] of Object.entries(members))
    checkMembers(options[option as keyof typeof members] ?? [], { builder, option }, form);
  for (const option of callbacks) {
    const value = options[option];
    if (value !== undefined && typeof value !== 'function')
      throw invalidOption(value, { builder, option }, 'a function');
  }
}

function checkMembers(
  list: readonly unknown[],
  { builder: of, option }: OptionPlace,
  { field, made }: { readonly field: string; readonly made: string },
): void {
  for (const [index, member] of list.entries())
    if (!isObject(member) || !(field in member))
      throw invalidOption(member, { builder: of, option: `${option}[${index}]` }, `made with ${made}`);
}

function checkKeys(keys: readonly string[]): void {
  for (const [index, key] of keys.entries()) {
    const place = { builder, option: `keys[${index}]` };
    checkKey(key, place);
    if (keys.indexOf(key) !== index) throw invalidOption(key, place, 'there only once');
  }
}

function checkIntent(intent: NonNullable<ConvergenceOptions['intent']>): void {
  const { criteria, evaluate } = checkOptions(intent, 'intent', ['request', 'criteria', 'evaluate']);
  if (!Array.isArray(criteria)) throw invalidOption(criteria, { builder: 'intent', option: 'criteria' }, 'a list');
  checkMembers(criteria, { builder: 'intent', option: 'criteria' }, { field: 'evaluate', made: 'criterion(…)' });
  if (evaluate !== undefined) oneWord(evaluate, { builder: 'intent', option: 'evaluate' }, ['at_rest', 'every_cycle']);
}

function checkOscillation(oscillation: Exclude<NonNullable<ConvergenceOptions['oscillation']>, false>): void {
  const { rejections, contents } = checkOptions(oscillation, 'oscillation', ['rejections', 'contents']);
  for (const [option, value] of Object.entries({ rejections, contents }))
    if (value !== undefined) wholeLimit(value, { builder: 'oscillation', option }, 2);
}
