import fc from 'fast-check';
import { describe, it } from 'vitest';
import { callModel } from './calls/call-model.js';
import { classifyModelError } from './errors/classify-model-error.js';
import type { ModelResponse } from './model-response.js';
import { parseScript } from './scripted/parse-script.js';
import { createRecording, recordModel } from './scripted/record-model.js';
import type { ScriptAnswer } from './scripted/script.js';
import { scriptedModel } from './scripted/scripted-model.js';
import { asVersion, versions } from './versions.fixture.js';

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const tokens = fc.nat(1_000_000);
const words = fc.oneof(fc.string(), fc.lorem());

const answer: fc.Arbitrary<ScriptAnswer> = fc
  .record({
    text: optional(words),
    reasoning: optional(words),
    toolCalls: optional(
      fc.array(
        fc.oneof(
          fc.record({ tool: fc.string(), input: fc.jsonValue() }),
          fc.record({ tool: fc.string(), inputText: fc.string() }),
        ),
        { maxLength: 3 },
      ),
    ),
    usage: optional(fc.record({ inputTokens: tokens, outputTokens: tokens }, { requiredKeys: [] })),
    finish: fc.constantFrom('stop', 'other', 'error', 'interrupted'),
    error: optional(fc.constantFrom('length', 'filter')),
  })
  .map((fields) => parseScript(JSON.stringify({ answers: { '*': [fields] } })).answers['*']?.[0] as ScriptAnswer);

const request = { messages: [{ role: 'user', content: 'go' } as const] };
const streamed = { onDelta: () => undefined };

describe('laws', () => {
  it('an answer is the same streamed or not, in every version, and plain JSON', async () => {
    await fc.assert(
      fc.asyncProperty(answer, fc.constantFrom(...versions), async (given, version) => {
        const whole = await callModel(asVersion(scriptedModel([given]), version), request);
        const parts = await callModel(asVersion(scriptedModel([given]), version), request, streamed);
        same(parts, whole);
        same(JSON.parse(JSON.stringify(whole)), whole);
      }),
      { numRuns: 300 },
    );
  });

  it('a recording plays what was recorded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), fc.boolean(), async (given, streaming) => {
        const options = streaming ? streamed : {};
        const recording = createRecording();
        const live = recordModel(scriptedModel(given), recording);
        const first: ModelResponse[] = [];
        for (const _ of given) first.push(await callModel(live, request, options));
        const played = scriptedModel(parseScript(JSON.stringify(recording.script())));
        const second: ModelResponse[] = [];
        for (const _ of given) second.push(await callModel(played, request, options));
        same(second, first);
      }),
      { numRuns: 200 },
    );
  });

  it('any value at all can be thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (thrown) => {
        const failure = classifyModelError(thrown, { provider: 'p' });
        same(JSON.parse(JSON.stringify(failure)), failure);
      }),
      { numRuns: 1000 },
    );
  });

  it('any value at all can be read as a script, or refused', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), (value) => {
        try {
          parseScript(value);
        } catch (error) {
          same((error as { code: unknown }).code, 'INVALID_SCRIPT');
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function same(left: unknown, right: unknown): void {
  if (fc.stringify(sorted(left)) !== fc.stringify(sorted(right))) {
    throw new Error(`${fc.stringify(left)} is not ${fc.stringify(right)}`);
  }
}

/** The order of fields does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}
