import { encode, terminations, toErrorData } from 'fullstop';

const refused = new Error('could not load the invoices', {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
});

// Anything can be thrown; everything becomes plain data that survives a store and a socket.
for (const thrown of [refused, 'just a string', null]) {
  console.log(toErrorData(thrown, { stack: false }));
}

const ending = terminations.failed({
  error: toErrorData(refused, { stack: false }),
  origin: 'tool',
  errorClass: 'external',
});
console.log(encode(ending));
