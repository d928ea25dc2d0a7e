import { type ModelMessage, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';

const model = scriptedModel([{ text: 'A red square, and a report about it.' }]);
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const prompt: readonly ModelMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is on this picture?' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
      { type: 'file', mediaType: 'application/pdf', data: { type: 'url', url: 'https://example.com/report.pdf' } },
    ],
  },
];

const result = await runAgent({ model, prompt });
console.log(result.termination, result.text);
