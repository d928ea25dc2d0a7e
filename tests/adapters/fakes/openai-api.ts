import type { ServerResponse } from 'node:http';
import { type LocalServer, serveLocally, writeJson } from './local-server.js';

/** An answer that OpenAI did not finish: what there is of it, and why it stopped there; for a rejected request there is none. */
export interface UnfinishedAnswer {
  readonly text: string;
  readonly reason: 'length' | 'filter' | 'rejected';
}

/** A server on this machine that speaks both protocols of OpenAI, Responses and Chat Completions; every request gets this answer. */
export async function fakeOpenaiApi(answer: UnfinishedAnswer): Promise<LocalServer> {
  const { url, close } = await serveLocally(({ request, body, response }) => {
    const { stream } = JSON.parse(body) as { readonly stream?: boolean };
    const isChat = request.url?.endsWith('/chat/completions') === true;
    if (answer.reason === 'rejected') writeJson(response, rejection, { status: 400 });
    else if (stream !== true) writeJson(response, isChat ? chatCompletion(answer) : incompleteResponse(answer));
    else writeEvents(response, isChat ? chatEvents(answer) : responseEvents(answer));
  });
  return { url: `${url}/v1`, close };
}

function writeEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** The words of Azure for a question that its filter does not let through. */
const rejection = {
  error: { message: 'The prompt was filtered.', type: null, param: 'prompt', code: 'content_filter' },
};

const chatUsage = { prompt_tokens: 40, completion_tokens: 10, total_tokens: 50 };

function finishOf({ reason }: UnfinishedAnswer): string {
  return reason === 'length' ? 'length' : 'content_filter';
}

function chatCompletion(answer: UnfinishedAnswer): object {
  const message = { role: 'assistant', content: answer.text === '' ? null : answer.text };
  const choices = [{ index: 0, finish_reason: finishOf(answer), message }];
  return { id: 'chat_1', object: 'chat.completion', created: 1, model: 'gpt-fake', choices, usage: chatUsage };
}

function chatEvents(answer: UnfinishedAnswer): readonly object[] {
  const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'gpt-fake' };
  const delta = { role: 'assistant', content: answer.text };
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finishOf(answer) }] },
    { ...chunk, choices: [], usage: chatUsage },
  ];
}

function incompleteResponse({ text, reason }: UnfinishedAnswer): object {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: 'message_1', role: 'assistant', status: 'incomplete', content };
  return {
    id: 'response_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-fake',
    status: 'incomplete',
    incomplete_details: { reason: reason === 'length' ? 'max_output_tokens' : 'content_filter' },
    output: text === '' ? [] : [message],
    usage: {
      input_tokens: 40,
      output_tokens: 10,
      total_tokens: 50,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

function responseEvents(answer: UnfinishedAnswer): readonly object[] {
  const response = incompleteResponse(answer);
  const started = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  return [
    { type: 'response.created', sequence_number: 0, response: started },
    { type: 'response.incomplete', sequence_number: 1, response },
  ];
}
