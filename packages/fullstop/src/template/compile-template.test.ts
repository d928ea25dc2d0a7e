import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../termination/json.js';
import { compileTemplate } from './compile-template.js';
import { greedyTemplates } from './fuzz-template.fixture.js';
import { readJsonText, valueFromJson, writeJsonText } from './json-text.js';
import type { Scope } from './scope.js';
import { TemplateError } from './template-error.js';
import type { Value } from './value.js';

function scopeFrom(names: Readonly<Record<string, JsonValue>>, declared: readonly string[] = []): Scope {
  const values = new Map<string, Value>(Object.entries(names).map(([name, json]) => [name, valueFromJson(json)]));
  return { lookup: (name) => values.get(name), declares: (name) => declared.includes(name) };
}

const empty = scopeFrom({});

function failure(work: () => unknown): TemplateError {
  try {
    work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('files', () => {
  const files = new Map([
    ['base.md', '<{% block head %}H{{ who }}{% endblock %}|{% block body scoped %}B{% endblock %}>'],
    ['mid.md', "{% extends 'base.md' %}{% block head %}mid({{ super() }}){% endblock %}"],
    ['part.md', "part {{ who }} {{ x|default('-') }}{% set inner = 1 %}"],
    [
      'macros.md',
      "{% macro hi(n, greet='hi') %}{{ greet }} {{ n }}{% endmacro %}{% set v = 5 %}{% set _h = 6 %}top{{ w|default('none') }}",
    ],
    ['loop.md', '{{ loop.index }}'],
    ['bad.md', 'line1\n {{ nope }}'],
    ['self.md', "{% include 'self.md' %}"],
  ]);
  const loader = { load: (name: string) => files.get(name), searched: '/prompts' };
  const who = scopeFrom({ who: 'W' });
  const render = (source: string): string => compileTemplate(source, { loader, name: 'main.md' }).render(who);

  it.each([
    ["{% include 'part.md' %}", 'part W -'],
    ["{% set x = 3 %}{% include 'part.md' %}[{{ inner|default('no') }}]", 'part W 3[no]'],
    ["{% include ['nope.md', 'part.md'] %}", 'part W -'],
    ["{% include 'nope.md' ignore missing %}ok", 'ok'],
    ["{% import 'macros.md' as m %}{{ m.hi('a') }}{{ m.v }}{{ m._h|default('hidden') }}{{ m }}", 'hi a5hiddentopnone'],
    ["{% from 'macros.md' import hi as h, v %}{{ h('b', greet='yo') }}{{ v }}", 'yo b5'],
    ["{% set w = 1 %}{% import 'macros.md' as m with context %}{{ m }}", 'top1'],
    ["{% extends 'base.md' %}ignored{% set z = 2 %}{% block body %}[{{ z }}{{ super() }}]{% endblock %}", '<HW|[2B]>'],
    ["{% extends 'mid.md' %}{% block head %}child({{ super() }}){% endblock %}", '<child(mid(HW))|B>'],
    ["before {% extends 'base.md' %}", 'before <HW|B>'],
    ["{% for i in [1] %}{% block q %}{{ i|default('unscoped') }}{% endblock %}{% endfor %}", 'unscoped'],
    ["{% for i in [1] %}{% block q scoped %}{{ i|default('unscoped') }}{% endblock %}{% endfor %}", '1'],
  ])('renders %s as the reference does', (source, text) => {
    expect(render(source)).toBe(text);
  });

  it.each([
    ["{% include 'part.md' without context %}", "'who' is undefined"],
    ["{% for i in [1] %}{% include 'loop.md' %}{% endfor %}", "'loop' is undefined"],
    [
      "{% from 'macros.md' import zip %}{{ zip }}",
      "the template 'macros.md' (imported on line 1) does not export the requested name 'zip'",
    ],
    ['{% block a required %}{% endblock %}', "Required block 'a' not found"],
    ["{% extends 'base.md' %}{% extends 'base.md' %}", 'extended multiple times'],
    ['{% block a %}{{ super() }}{% endblock %}', "there is no parent block called 'a'."],
    ["{% include 'self.md' %}", 'maximum recursion depth exceeded'],
  ])('fails on %s as the reference does', (source, detail) => {
    expect(failure(() => render(source)).detail).toBe(detail);
  });

  it('locates a failure in the file that holds it', () => {
    const error = failure(() => render("\n{% include 'bad.md' %}"));
    expect(error).toMatchObject({ templateName: 'bad.md', line: 2, column: 5, reason: 'undefined' });
  });

  it('says where a missing file was looked for, and never looks above the folder', () => {
    expect(failure(() => render("{% include 'no.md' %}")).message).toBe(
      "Template not found: 'no.md'. Searched in: /prompts",
    );
    expect(failure(() => render("{% include '../base.md' %}")).reason).toBe('load');
  });

  it('says that a text without a file cannot include others', () => {
    const error = failure(() => compileTemplate("{% include 'a' %}").render(empty));
    expect(error.reason).toBe('load');
    expect(error.message).toContain('require a file-backed prompt via prompt: !file');
  });
});

describe('places and kinds of failures', () => {
  it.each([
    ['a\n  {{ 1 +', 'syntax', 2, 8],
    ['{{ x }}\n{{ step.nope }}', 'undefined', 2, 4],
    ['{{ x\n + none }}', 'runtime', 2, 2],
    ["{{ 'x' * 10**9 }}", 'limit', 1, 8],
    ["{{ ''.__class__ }}", 'security', 1, 4],
  ])('%j is a located failure of kind %s', (source, reason, line, column) => {
    const scope = scopeFrom({ x: 1, step: {} });
    expect(failure(() => compileTemplate(source).render(scope))).toMatchObject({ reason, line, column });
  });

  it.each([
    ['{{ x }}', "Undefined variable in template: 'x' is undefined"],
    ['{{ 1 // 0 }}', 'Template rendering failed: integer division or modulo by zero'],
    ['{% if %}', "Template syntax error: Expected an expression, got 'end of statement block'"],
  ])('%s fails with the message of the reference', (source, message) => {
    expect(failure(() => compileTemplate(source).render(empty)).message).toBe(message);
  });

  it('knows an unknown filter at once, but inside an if only when it is reached', () => {
    expect(failure(() => compileTemplate('{{ 1|nope }}')).detail).toBe("No filter named 'nope'.");
    expect(compileTemplate('{% if false %}{{ 1|nope }}{% endif %}').render(empty)).toBe('');
    const reached = failure(() => compileTemplate('{% if true %}{{ 1|nope }}{% endif %}').render(empty));
    expect(reached.detail).toBe("No filter named 'nope' found.");
  });
});

describe('steps that have not run', () => {
  it('returns the default for members of a declared step only', () => {
    const scope = scopeFrom({}, ['later']);
    expect(compileTemplate("{{ later.output.x['y'] | default('D') }}").render(scope)).toBe('D');
    expect(failure(() => compileTemplate("{{ other.output.x | default('D') }}").render(scope)).detail).toBe(
      "'other' is undefined",
    );
    expect(failure(() => compileTemplate('{{ later.output.x }}').render(scope)).detail).toBe("'later' is undefined");
    const asked = '{{ later.output.x is defined }} {{ later.output.x is not defined }} {{ later.output is undefined }}';
    expect(compileTemplate(asked).render(scope)).toBe('False True True');
    expect(failure(() => compileTemplate('{{ other.output is defined }}').render(scope)).detail).toBe(
      "'other' is undefined",
    );
  });

  it('still fails for a missing part below a step that has run', () => {
    const scope = scopeFrom({ done: { output: {} } }, ['done']);
    expect(failure(() => compileTemplate("{{ done.output.a.b | default('D') }}").render(scope)).detail).toBe(
      "'dict object' has no attribute 'a'",
    );
  });
});

describe('data of the scope', () => {
  it('shows a change within one rendering and takes it back after it', () => {
    const data = readJsonText('{"list": [1], "map": {"a": 1.0}}');
    const scope: Scope = { lookup: (name) => (name === 'data' ? data : undefined) };
    const source = '{{ data.list.append(2) }}{{ data.list }}{{ data.map.update(b=2) }}{{ data.map }}';
    expect(compileTemplate(source).render(scope)).toBe("None[1, 2]None{'a': 1.0, 'b': 2}");
    expect(writeJsonText(data)).toBe('{"list": [1], "map": {"a": 1.0}}');
    expect(() => compileTemplate('{{ data.list.clear() }}{{ nope }}').render(scope)).toThrow(TemplateError);
    expect(writeJsonText(data)).toBe('{"list": [1], "map": {"a": 1.0}}');
  });

  it('treats names of JavaScript like any other', () => {
    const scope = scopeFrom({ data: { constructor: 1 } });
    expect(compileTemplate('{{ data.constructor }}{{ data.__proto__ is defined }}').render(scope)).toBe('1False');
  });

  it('keeps a null apart from something missing', () => {
    const scope = scopeFrom({ range: null, rows: [null, 1] });
    const source =
      '{{ range }}{% for r in rows %}{{ r }}{{ loop.previtem|d("-") }}{% endfor %}{{ rows[0] }}{{ rows|first }}';
    expect(compileTemplate(source).render(scope)).toBe('NoneNone-1NoneNoneNone');
  });
});

describe('chance', () => {
  it('depends on the seed alone', () => {
    const template = compileTemplate('{{ range(1000)|random }} {{ lipsum(1) }}');
    expect(template.render(empty, { seed: 7 })).toBe(template.render(empty, { seed: 7 }));
    expect(template.render(empty, { seed: 7 })).not.toBe(template.render(empty, { seed: 8 }));
  });
});

describe('limits', () => {
  it.each(greedyTemplates)('finishes %j', (source) => {
    let text: string;
    try {
      text = compileTemplate(source).render(empty);
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
      return;
    }
    expect(text.length).toBeLessThan(1000);
  });

  it('leaves room for honest work', () => {
    const source = `{% set ns = namespace(t='') %}{% for i in range(20000) %}{% set ns.t = ns.t ~ i ~ ',' %}{% endfor %}{{ ns.t|length }} {{ range(50000)|join(',')|length }} {{ range(50000)|map('string')|list|sort|last }}`;
    expect(compileTemplate(source).render(empty)).toBe('108890 288889 9999');
  });
});

describe('references', () => {
  it('lists the names of the scope with their paths and whether they may be missing', () => {
    const source =
      "{{ a.output.x }}{% set b = a.n %}{{ b.c }}{% for i in a.list %}{{ i.k }}{{ loop.index }}{% endfor %}\n{{ c.d|default(e.f) }}{% if g is defined %}{{ g.h['i'] }}{% endif %}{{ range(j[0]) }}";
    const found = compileTemplate(source).references.map(({ guarded, line, path, root }) => [
      root,
      path.join('.'),
      guarded,
      line,
    ]);
    expect(found).toEqual([
      ['a', 'output.x', false, 1],
      ['a', 'n', false, 1],
      ['a', 'list', false, 1],
      ['c', 'd', true, 2],
      ['e', 'f', false, 2],
      ['g', '', true, 2],
      ['g', 'h.i', true, 2],
      ['j', '0', false, 2],
    ]);
  });
});
