import { scriptedModel } from 'fullstop/testing';

/** A model that needs no key and no network, and that is stuck: it asks for the same page whatever it is told. */
export const offline = scriptedModel([{ toolCalls: [{ tool: 'search', input: { query: 'steel' } }] }], {
  exhausted: 'repeat-last',
});
