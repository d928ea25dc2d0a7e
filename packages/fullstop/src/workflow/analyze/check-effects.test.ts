import { describe, expect, it } from 'vitest';
import { problemsOf, workflowOf } from '../load/load-text.fixture.js';

const settings = (text: string): string =>
  `workflow: {name: w, entry_point: a, ${text}}\nagents: [{name: a, type: set, value: x}]`;

describe('keys of the reference that do nothing here', () => {
  it.each([
    ['session_key', '{name: a, prompt: x, session_key: s}', '3:39', 'conversation of its own'],
    ['context_tier', '{name: a, prompt: x, context_tier: long_context}', '3:40', 'name a model with a larger one'],
    ['sandbox', '{name: a, prompt: x, sandbox: {identifier_scope: item}}', '3:35', 'belongs to the provider aca'],
    ['plugins', '{name: a, prompt: x, plugins: [./p]}', '3:35', 'list their skills under skills'],
  ])('%s of an agent is a located warning', (key, step, place, why) => {
    const problems = problemsOf(workflowOf(step));
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'KEY_WITHOUT_EFFECT', path: `agents.0.${key}`, stage: 'semantic' },
    ]);
    expect(`${problems[0]?.line}:${problems[0]?.column}`).toBe(place);
    expect(problems[0]?.message).toContain(`'${key}' has no effect here: `);
    expect(problems[0]?.message).toContain(why);
  });

  it.each([
    ['runtime: {default_context_tier: long_context}', 'workflow.runtime.default_context_tier'],
    ['runtime: {plugins: [p@market]}', 'workflow.runtime.plugins'],
    ['runtime: {plugin_sources: {p: owner/repo}}', 'workflow.runtime.plugin_sources'],
    ['runtime: {provider: {name: copilot, wire_api: responses, api_key: k}}', 'workflow.runtime.provider.wire_api'],
    ['runtime: {provider: {name: copilot, type: openai, api_key: k}}', 'workflow.runtime.provider.type'],
    [
      'runtime: {provider: {name: copilot, base_url: http://x, type: azure, wire_api: responses, azure: {api_version: v}}}',
      'workflow.runtime.provider.azure',
    ],
    [
      'runtime: {provider: {name: copilot, base_url: http://x, type: openai, api_key: k, bearer_token: t}}',
      'workflow.runtime.provider.bearer_token',
    ],
    [
      'runtime: {provider: {name: copilot, base_url: http://x, runtime_url: u}}',
      'workflow.runtime.provider.runtime_url',
    ],
    ['runtime: {provider: {name: hermes, hermes_home: /h}}', 'workflow.runtime.provider.hermes_home'],
    ['runtime: {skills: [conductor]}', 'workflow.runtime.skills.0'],
    ['cost: {show_summary: false}', 'workflow.cost.show_summary'],
    [
      'cost: {pricing: {m: {input_per_mtok: 1, output_per_mtok: 1, cache_write_per_mtok: 2}}}',
      'workflow.cost.pricing.m.cache_write_per_mtok',
    ],
  ])('%s is one', (text, path) => {
    expect(problemsOf(settings(text))).toMatchObject([{ severity: 'warning', code: 'KEY_WITHOUT_EFFECT', path }]);
  });

  it.each([
    '{name: copilot, type: openai, base_url: http://x}',
    '{name: copilot, wire_api: responses, base_url: http://x}',
    '{name: copilot, type: anthropic, base_url: http://x, bearer_token: t}',
    '{name: copilot, type: azure, base_url: http://x, api_key: k, bearer_token: t, azure: {api_version: v}}',
    '{name: copilot, type: azure, wire_api: responses, base_url: http://x}',
  ])('are none where the endpoint reads them, as with %s', (provider) => {
    expect(problemsOf(settings(`runtime: {provider: ${provider}}`))).toEqual([]);
  });

  it('are found in the step of a for_each group too', () => {
    const text = `${workflowOf('{name: a, type: set, value: "[1]", routes: [{to: f}]}')}
for_each: [{name: f, type: for_each, source: a.output.x, as: item, agent: {name: i, prompt: x, session_key: s}}]`;
    expect(problemsOf(text)).toMatchObject([{ code: 'KEY_WITHOUT_EFFECT', path: 'for_each.0.agent.session_key' }]);
  });

  it('say nothing where they are absent, empty or do something', () => {
    const text = `
workflow:
  name: w
  entry_point: a
  runtime: {plugins: [], plugin_sources: {}, skills: [./s], provider: {name: claude, base_url: http://x, auth_token: t}}
agents: [{name: a, prompt: x, plugins: [], skills: []}]`;
    expect(problemsOf(text)).toEqual([]);
  });
});
