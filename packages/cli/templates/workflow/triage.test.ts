import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';

/** Runs the file with a model that classifies every ticket in this way. */
async function runWith(output: { readonly topic: string; readonly confidence: number }) {
  const workflow = await loadWorkflow('triage.yaml', { model: scriptedModel([{ output }]) });
  return await workflow.run({ ticket: 'My parcel never came' });
}

test('a clear ticket is answered', async () => {
  const result = await runWith({ topic: 'delivery', confidence: 0.93 });
  assert.equal(result.termination.kind, 'flow_completed');
  assert.equal((result.output as { topic: string }).topic, 'delivery');
});

test('an unclear one ends as a failure that says why', async () => {
  const result = await runWith({ topic: 'billing', confidence: 0.2 });
  assert.equal(result.termination.kind, 'terminated');
  assert.equal(result.category, 'fatal');
});
