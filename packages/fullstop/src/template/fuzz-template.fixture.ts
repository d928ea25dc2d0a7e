import { seededRandom } from '../testing/seeded-random.js';
import { compileTemplate } from './compile-template.js';
import { compileCondition } from './condition.js';
import { Dict } from './dict.js';
import { valueFromJson } from './json-text.js';
import type { Scope } from './scope.js';
import { TemplateError } from './template-error.js';

/** The outcome of a round of random templates. */
export interface TemplateFuzzResult {
  readonly rendered: number;
  readonly refused: number;
  /** Texts that threw something else than a located `TemplateError`. */
  readonly failures: readonly { readonly text: string; readonly reason: string }[];
}

interface Dice {
  pick<T>(list: readonly T[]): T;
  below(limit: number): number;
}

const atoms =
  `step.output.n step.output.list step.output step missing name 'x' "it's" '' 0 1 -1 7 2.5 1e300 10**20 [] {} () [1,'a',none] {'k':[1]} range(9) true none loop self (1,2) 'é😀' namespace(a=1) dict(b=2) lipsum cycler(1,2) joiner()`.split(
    ' ',
  );
const filterNames =
  `abs batch(2) capitalize center(30) count default('d') dictsort e filesizeformat first float format(1) groupby('k') indent int(3) items join(',') json last length list lower map('int') map(attribute='k') max min pprint random reject replace('a','bb') reverse round(2) select('odd') selectattr('k') slice(3) sort string striptags sum title tojson trim truncate(5) unique upper urlencode urlize wordcount wordwrap(4) xmlattr nofilter`.split(
    ' ',
  );
const testNames = 'defined none odd string mapping sequence divisibleby(3) in([1]) eq(1) callable notest'.split(' ');
const members =
  `.k .items() .keys()|list .split() .upper() .append(1) .join('ab') .format(1,k=2) .replace('','-') .zfill(40) .pop() .sort() [0] [-1] [::2] ['k'] [1:] .__class__ .constructor .__proto__ .update(a=1) .center(50)`.split(
    ' ',
  );
const binaries = '+ - * / // % ** ~ == != < >= in and or'.split(' ').concat('not in');
const greedy = [
  "{{ 'x' * 10**9 }}",
  '{{ 10**(10**10) }}',
  "{{ ('-' * 200000)|wordwrap(5)|length }}",
  "{{ (('1' * 99999) ~ 'x')|float }}",
  "{{ ('a@' * 100000)|urlize|length }}",
  "{{ ('z' * 60000)|int(0, 36) }}",
  "{{ (('f' * 60000)|int(0, 16)) > 1 }}",
  "{{ ('{' * 100000).format(1)|length }}",
  "{{ ('<' * 300000)|striptags|length }}",
  "{% set t = '😀' * 1000000 %}{% for i in range(1000000) %}{{ t|length }}{{ t == t ~ '' }}{% endfor %}",
  '{{ range(10**12)|list }}',
  '{{ range(10**9)|sum }}',
  "{{ '%999999999d' % 1 }}",
  "{{ '{:>999999999}'.format(1) }}",
  "{{ 'x'|center(10**9) }}",
  '{% for a in range(10**6) %}{% for b in range(10**6) %}{% endfor %}{% endfor %}',
  "{% set n = namespace(t='x') %}{% for i in range(60) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
  '{% set l = [1] %}{% for i in range(60) %}{% set _ = l.extend(l) %}{% endfor %}{{ l }}',
  '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
  '{% set l = [] %}{% set _ = l.append(l) %}{{ l }}{{ l == l }}{{ l|tojson }}',
  `{{ ${'('.repeat(5000)}1 }}`,
  `{{ ${'-'.repeat(5000)}1 }}`,
  `{{ ${'1+'.repeat(5000)}1 }}`,
  `${'{% if 1 %}'.repeat(3000)}`,
  `{{ '${' '.repeat(50_000)}x'|trim|striptags|wordwrap(3)|length }}`,
  `{{ ${'['.repeat(90)}${']'.repeat(90)} }}`,
];

function expression(dice: Dice, depth: number): string {
  if (depth <= 0) return dice.pick(atoms);
  const inner = (): string => `(${expression(dice, depth - 1)})`;
  switch (dice.below(9)) {
    case 0:
      return `${inner()} ${dice.pick(binaries)} ${inner()}`;
    case 1:
      return `${inner()} is ${dice.pick(testNames)}`;
    case 2:
      return `${inner()}${dice.pick(members)}`;
    case 3:
      return `not ${inner()}`;
    case 4:
      return `${inner()} if ${inner()}`;
    case 5:
      return `[${expression(dice, depth - 1)}, ${expression(dice, depth - 1)}]`;
    case 6:
      return dice.pick(atoms);
    default:
      return `${inner()}|${dice.pick(filterNames)}`;
  }
}

function statement(dice: Dice, depth: number): string {
  const inner = (): string => (depth <= 0 ? 'text\n' : statement(dice, depth - 1));
  const value = (): string => expression(dice, 2);
  switch (dice.below(10)) {
    case 0:
      return `{% for a in ${value()} %}${inner()}{{ loop.index }}{{ a }}{% else %}${inner()}{% endfor %}`;
    case 1:
      return `{% if ${value()} %}${inner()}{% elif ${value()} %}${inner()}{% else %}x{% endif %}`;
    case 2:
      return `{% set b = ${value()} %}{{ b }}`;
    case 3:
      return `{% macro m(c, d=${value()}) %}{{ c }}{{ d }}${inner()}{% endmacro %}{{ m(${value()}) }}`;
    case 4:
      return `{%- filter ${dice.pick(filterNames)} -%}${inner()}{% endfilter %}`;
    case 5:
      return `{% with e = ${value()} %}${inner()}{{ e }}{% endwith %}{# c #}`;
    case 6:
      return `{% block z %}${inner()}{% endblock %}{% raw %}{{ {% endraw %}`;
    case 7:
      return dice.pick([
        "{% include 'f' %}",
        "{% import 'f' as g %}",
        "{% extends 'f' %}",
        '{% call m() %}x{% endcall %}',
      ]);
    default:
      return `${inner()}{{ ${value()} }}`;
  }
}

const noise = [
  '{{',
  '}}',
  '{%',
  '%}',
  '(',
  ')',
  '[',
  "'",
  '"',
  '|',
  '.',
  '\\',
  '\u0000',
  '\ud800',
  '\n',
  'if',
  ' is ',
  '**',
  '{#',
  '-',
  '9',
];

function mutated(text: string, dice: Dice): string {
  const at = dice.below(text.length + 1);
  switch (dice.below(3)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + dice.below(4));
    case 1:
      return text.slice(0, at) + dice.pick(noise) + text.slice(at);
    default:
      return text.slice(0, at) + dice.pick(noise) + text.slice(at + 1);
  }
}

function scope(): Scope {
  const data = valueFromJson({
    step: { output: { n: 7, list: [3, 1, 2], k: 'v' } },
    name: 'Zoë',
    output: { score: 1 },
  });
  if (!(data instanceof Dict)) throw new TypeError('the data is an object');
  return { lookup: (name) => data.getText(name), declares: (name) => name === 'later' };
}

function tryOne(text: string, plain: boolean): string {
  try {
    if (plain) compileCondition(text).evaluate(scope());
    else compileTemplate(text).render(scope());
    return 'rendered';
  } catch (error) {
    if (!(error instanceof TemplateError)) return `threw ${String(error)}`;
    if (error.errorType === 'InternalError') return `internal: ${error.detail}`;
    return error.line >= 1 && error.column >= 1 && error.message !== '' ? 'refused' : `no place: ${error.message}`;
  }
}

/** Renders many random and broken templates and conditions: each must give text or a located error. */
export function fuzzTemplates({ count, seed }: { readonly count: number; readonly seed: number }): TemplateFuzzResult {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const dice: Dice = { below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
  const failures: { text: string; reason: string }[] = [];
  let rendered = 0;
  for (let round = 0; round < count; round += 1) {
    const plain = below(5) === 0;
    const whole = plain ? expression(dice, 2).replaceAll('|', dice.pick(['|', ' or '])) : statement(dice, 2);
    let text = below(1000) === 0 ? dice.pick(greedy) : whole;
    for (let changes = below(3); changes > 0; changes -= 1) text = mutated(text, dice);
    const outcome = tryOne(text, plain);
    if (outcome === 'rendered') rendered += 1;
    else if (outcome !== 'refused') failures.push({ text, reason: outcome });
  }
  return { rendered, refused: count - rendered - failures.length, failures };
}

/** Templates that would take all time or memory if sizes were not checked first. */
export const greedyTemplates: readonly string[] = greedy;
