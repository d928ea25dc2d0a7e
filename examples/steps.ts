import { defineRun, end, StepFailed, terminations } from 'fullstop';

const order = defineRun({
  name: 'order',
  run: async (context) => {
    const stock = await context.step(
      'reserve',
      ({ attempt }) => {
        if (attempt < 3) throw Object.assign(new Error('the warehouse is busy'), { code: 'ETIMEDOUT' });
        return { items: 2 };
      },
      { retry: { attempts: 5, initialDelayMs: 1 }, timeoutMs: 1000 },
    );
    // Undo steps run when the run is cancelled, the last one first.
    context.onCancel('return stock', () => console.log('returned', stock.items, 'items'));

    // At most once, whatever happens: if its outcome is lost, a person is asked instead.
    await context.step('charge', ({ idempotencyKey }) => console.log('charged with', idempotencyKey), { once: true });

    // A failure is journalled too: the body sees the same error on every replay.
    const mail = await context.step('mail', () => Promise.reject(new Error('no such address'))).catch((error) => error);
    if (mail instanceof StepFailed) console.log('mail:', mail.message, '· attempts:', mail.attempts);

    await context.sleep('cool down', 60_000);
    return end(terminations.flowCompleted({ last: 'cool down' }), stock);
  },
});

const controller = new AbortController();
const result = await order.run(undefined, {
  runId: 'order-7',
  signal: controller.signal,
  // Called for every entry; here the customer has second thoughts while the run sleeps.
  onEntry: ({ type }) => {
    if (type === 'sleep_started') controller.abort('the customer changed their mind');
  },
});
console.log(result.summary);
console.log((await result.journal()).map(({ key, type }) => `${type} ${key ?? ''}`.trim()).join(' | '));
