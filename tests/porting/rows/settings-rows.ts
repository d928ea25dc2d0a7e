import { generateText, NoObjectGeneratedError, Output } from 'ai';
import { z } from 'zod';
import { runAgent, timeout } from '../../../packages/fullstop/src/index.js';
import { simulatedClock } from '../../../packages/fullstop/src/testing/index.js';
import { after, done, type PortingRow, type PortingTable, type Scene } from '../porting-row.js';

/** A setting that reaches the provider under the same name on both sides. */
function setting(
  name: 'maxOutputTokens' | 'temperature' | 'topP' | 'topK' | 'presencePenalty' | 'frequencyPenalty' | 'seed',
  value: number,
): PortingRow {
  const given = { [name]: value };
  return {
    six: [name],
    ours: `settings.${name}`,
    proof: {
      answers: done,
      theirs: async (scene) =>
        await after(generateText({ model: scene.model, prompt: 'go', ...given }), () => sent(scene, name)),
      ours: async (scene) =>
        await after(runAgent({ model: scene.model, prompt: 'go', settings: given }), () => sent(scene, name)),
      agree: value,
    },
  };
}

function sent({ calls }: Scene, name: string): unknown {
  return (calls[0] as unknown as Readonly<Record<string, unknown>>)[name];
}

const failing = [{ error: { status: 503 } }, ...done];
const score = z.object({ score: z.number() });

/** The settings that are sent with each call, and what happens when it fails. */
export const settingsRows: PortingTable = {
  title: 'Settings of model calls',
  rows: [
    setting('maxOutputTokens', 500),
    setting('temperature', 0.2),
    setting('topP', 0.9),
    setting('topK', 40),
    setting('presencePenalty', 0.5),
    setting('frequencyPenalty', 0.25),
    setting('seed', 7),
    {
      six: ['stopSequences'],
      ours: 'settings.stopSequences',
      proof: {
        answers: done,
        theirs: async (scene) =>
          await after(generateText({ model: scene.model, prompt: 'go', stopSequences: ['END'] }), () =>
            sent(scene, 'stopSequences'),
          ),
        ours: async (scene) =>
          await after(runAgent({ model: scene.model, prompt: 'go', settings: { stopSequences: ['END'] } }), () =>
            sent(scene, 'stopSequences'),
          ),
        agree: ['END'],
      },
    },
    {
      six: ['headers'],
      ours: 'settings.headers',
      proof: {
        answers: done,
        theirs: async (scene) => {
          await generateText({ model: scene.model, prompt: 'go', headers: { 'x-tenant': 'acme' } });
          return (sent(scene, 'headers') as Readonly<Record<string, string>>)['x-tenant'];
        },
        ours: async (scene) => {
          await runAgent({ model: scene.model, prompt: 'go', settings: { headers: { 'x-tenant': 'acme' } } });
          return (sent(scene, 'headers') as Readonly<Record<string, string>>)['x-tenant'];
        },
        agree: 'acme',
      },
    },
    {
      six: ['providerOptions'],
      ours: 'settings.providerOptions',
      proof: {
        answers: done,
        theirs: async (scene) => {
          const providerOptions = { openai: { user: 'u-1' } };
          await generateText({ model: scene.model, prompt: 'go', providerOptions });
          return (sent(scene, 'providerOptions') as typeof providerOptions).openai;
        },
        ours: async (scene) => {
          const providerOptions = { openai: { user: 'u-1' } };
          await runAgent({ model: scene.model, prompt: 'go', settings: { providerOptions } });
          return (sent(scene, 'providerOptions') as typeof providerOptions).openai;
        },
        agree: { user: 'u-1' },
      },
    },
    {
      six: ['maxRetries'],
      seven: ['maxRetries', 'streamRetries'],
      ours: 'retry: { attempts }',
      note: 'All attempts, the first included: `maxRetries: 2` is `attempts: 3`, which is the default on both sides. Streamed answers that break off are asked for again too.',
      proof: {
        answers: failing,
        theirs: async (scene) =>
          await after(generateText({ model: scene.model, prompt: 'go', maxRetries: 1 }), () => scene.calls.length),
        ours: async (scene) =>
          await after(
            runAgent({ model: scene.model, prompt: 'go', retry: { attempts: 2, initialDelayMs: 1 } }),
            () => scene.calls.length,
          ),
        agree: 2,
      },
    },
    {
      six: ['abortSignal'],
      ours: 'signal',
      note: 'The run is not thrown away: it ends as `cancelled` with the reason, and can be resumed.',
      proof: {
        answers: [{ text: 'late', delay: '1h' }],
        theirs: async ({ model }) => {
          const abortSignal = AbortSignal.abort(new Error('enough'));
          return await generateText({ model, prompt: 'go', abortSignal }).catch(() => 'not answered');
        },
        ours: async ({ model }) => {
          const { termination } = await runAgent({ model, prompt: 'go', signal: AbortSignal.abort('enough') });
          return termination.kind === 'cancelled' ? 'not answered' : termination;
        },
        agree: 'not answered',
      },
    },
    {
      six: ['timeout'],
      ours: 'stopWhen: timeout({ run, iteration, model, tool })',
      note: '`totalMs` is `run`, `stepMs` is `iteration`, `chunkMs` is the silence after which a model is given up; the run ends as `time_budget` with the limit and its scope.',
      proof: {
        answers: [{ text: 'late', delay: '200ms' }],
        theirs: async ({ model }) =>
          await generateText({ model, prompt: 'go', timeout: 10, maxRetries: 0 }).catch(() => 'too slow'),
        ours: async ({ model }) => {
          const stopWhen = [timeout({ run: 10 })];
          const { termination } = await runAgent({ model, prompt: 'go', stopWhen });
          return termination.kind === 'time_budget' ? 'too slow' : termination;
        },
        agree: 'too slow',
      },
    },
    {
      six: ['output', 'experimental_output'],
      seven: ['output'],
      ours: 'output',
      note: 'The schema itself instead of `Output.object({ schema })`. An answer that does not fit is corrected by the model (`repair`), and then ends the run with the violations instead of throwing.',
      proof: {
        answers: [{ output: { score: 7 } }],
        theirs: async ({ model }) =>
          (await generateText({ model, prompt: 'go', output: Output.object({ schema: score }) })).output,
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go', output: score })).output,
        agree: { score: 7 },
      },
    },
    {
      six: ['NoObjectGeneratedError'],
      ours: "'schema_validation' · 'structured_output_exhausted'",
      proof: {
        answers: [{ output: { score: 'high' } }],
        theirs: async ({ model }) => {
          const output = Output.object({ schema: score });
          const asked = generateText({ model, prompt: 'go', output }).then(({ output: value }) => value);
          return await asked.catch((error: unknown) => NoObjectGeneratedError.isInstance(error) && 'does not fit');
        },
        ours: async ({ model }) => {
          const { termination } = await runAgent({ model, prompt: 'go', output: score, repair: false });
          return termination.kind === 'schema_validation' && 'does not fit';
        },
        agree: 'does not fit',
      },
    },
    {
      six: ['RetryError', 'APICallError'],
      ours: "'provider_failed' · 'provider_auth' · 'provider_quota' · …",
      note: 'Nothing is thrown after the start: the ending says which, with status, message, request id and attempts.',
      proof: {
        answers: [{ error: 'auth' }],
        theirs: async ({ model }) =>
          await generateText({ model, prompt: 'go' }).catch((error: { statusCode?: number }) => error.statusCode),
        ours: async ({ model }) => {
          const { termination } = await runAgent({ model, prompt: 'go', clock: simulatedClock() });
          return termination.kind === 'provider_auth' && termination.status;
        },
        agree: 401,
      },
    },
    {
      six: [],
      seven: ['reasoning'],
      ours: 'settings.reasoning',
      note: 'For models of specification v4; older ones have options of their provider for it.',
    },
    {
      six: ['experimental_telemetry'],
      seven: ['telemetry', 'experimental_telemetry'],
      ours: 'telemetry of `fullstop/telemetry`',
      note: 'Spans and metrics come from the journal, by one call for the whole process; see telemetry.md. Inputs and outputs are recorded only if asked for.',
    },
    {
      six: ['experimental_include'],
      seven: ['include', 'experimental_include'],
      note: 'Bodies of requests and responses are never kept; the journal has the messages, calls and usage.',
    },
    {
      six: ['_internal'],
      note: 'Clock and ids are injected: `clock` and `runId` of a run, the clock of an engine.',
    },
  ],
};
