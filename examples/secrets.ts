import { createSecrets, defineRun, end, terminations } from 'fullstop';

const secrets = createSecrets({ API_KEY: 'sk-live-4711-0815' });

const caller = defineRun({
  name: 'caller',
  secrets,
  run: async (context, input: { readonly url: string }) => {
    console.log('the body sees', input.url);
    const answer = await context.step('call', ({ unseal }) => {
      const url = unseal(input.url);
      return { ok: url.includes('sk-live'), echoed: url };
    });
    return end(terminations.flowCompleted({ last: 'call' }), answer);
  },
});

const told: string[] = [];
const result = await caller.run(
  { url: 'https://api.example.com/?key=sk-live-4711-0815' },
  { onEntry: (entry) => told.push(JSON.stringify(entry)) },
);
console.log('the result has', result.output);
console.log('shown outside ', secrets.mask(result.output));
const everything = JSON.stringify([await result.journal(), result, told]);
console.log('the value leaked:', everything.includes('4711'));
