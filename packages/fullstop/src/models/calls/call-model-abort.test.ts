import { describe, expect, it } from 'vitest';
import type { ModelCallOptions } from '../language-model.js';
import type { ModelRequest } from '../model-request.js';
import { scriptedModel } from '../scripted/scripted-model.js';
import { fixedModel } from '../versions.fixture.js';
import { callModel } from './call-model.js';

const request: ModelRequest = { messages: [{ role: 'user', content: 'go' }] };

describe('a call that is aborted', () => {
  const deaf = scriptedModel(() => ({ text: 'late', delay: '1h' }), {
    clock: { now: () => 0, callAt: () => () => undefined },
  });

  it.each([undefined, () => undefined])(
    'rejects with the reason even if the model does not listen (%o)',
    async (onDelta) => {
      const controller = new AbortController();
      const never = {
        ...deaf,
        doGenerate: () => new Promise<never>(() => undefined),
        doStream: () => new Promise<never>(() => undefined),
      };
      const call = callModel(never, request, { signal: controller.signal, ...(onDelta !== undefined && { onDelta }) });
      controller.abort('enough');
      await expect(call).rejects.toBe('enough');
    },
  );

  it('is not even begun when the signal is already aborted', async () => {
    const model = scriptedModel([{ text: 'x' }]);
    await expect(callModel(model, request, { signal: AbortSignal.abort('before') })).rejects.toBe('before');
    expect(model.used()).toEqual({});
  });

  it('stops reading a stream, and notifies the provider', async () => {
    const controller = new AbortController();
    let cancelled: unknown;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue({ type: 'text-delta', id: '0', delta: 'more ' }),
      cancel: (reason) => {
        cancelled = reason;
      },
    });
    const model = { ...fixedModel({}), doStream: async () => ({ stream: endless }) };
    let deltas = 0;
    const onDelta = (): void => {
      deltas += 1;
      if (deltas === 3) controller.abort('enough');
    };
    await expect(callModel(model, request, { signal: controller.signal, onDelta })).rejects.toBe('enough');
    await expect.poll(() => cancelled).toBe('enough');
    expect(deltas).toBe(3);
  });

  it('does not read a stream that comes too late', async () => {
    const controller = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const late = scriptedModel([{ text: 'one two three' }]);
    const model = { ...late, doStream: (options: ModelCallOptions) => begun.then(() => late.doStream(options)) };
    let deltas = 0;
    const call = callModel(model, request, {
      signal: controller.signal,
      onDelta: () => {
        deltas += 1;
      },
    });
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    begin();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(late.used()).toEqual({ '*': 1 });
    expect(deltas).toBe(0);
  });

  it('leaves no more than one listener behind, however many calls are made', async () => {
    let listeners = 0;
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: () => (listeners += 1),
      removeEventListener: () => (listeners -= 1),
    };
    await callModel(scriptedModel([{ text: 'x' }]), request, { signal });
    await callModel(scriptedModel([{ text: 'x' }]), request, { signal, onDelta: () => undefined });
    await callModel(scriptedModel([{ error: 'auth' }]), request, { signal }).catch(() => undefined);
    await callModel(scriptedModel([{ error: 'stream_cut' }]), request, { signal, onDelta: () => undefined }).catch(
      () => undefined,
    );
    expect(listeners).toBe(1);
  });
});
