import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from 'fullstop';
import { createRecording, recordModel, type Script, scriptedModel } from 'fullstop/testing';

// Stands in for a live model, such as await loadModel('openai/gpt-5').
const live = scriptedModel([
  { toolCalls: [{ tool: 'price', input: { thing: 'hammer' } }] },
  { error: { status: 429, retryAfter: '5ms' } },
  { text: 'A hammer costs $7.' },
]);
const price = { description: 'Returns the price of an item', execute: () => '$7' };

// Recorded once, with its failures…
const recording = createRecording();
const first = await runAgent({ model: recordModel(live, recording), tools: { price }, prompt: 'A hammer?' });
const file = join(mkdtempSync(join(tmpdir(), 'recording-')), 'hammer.json');
writeFileSync(file, JSON.stringify(recording.script(), null, 2));

// …and replayed in tests from then on, without a network or an API key.
const model = scriptedModel(JSON.parse(readFileSync(file, 'utf8')) as Script);
const again = await runAgent({ model, tools: { price }, prompt: 'A hammer?' });
console.log(again.termination, again.text);
console.log(JSON.stringify(again.messages) === JSON.stringify(first.messages), model.remaining());
