import { createCodec, terminations } from 'fullstop';

// Another discriminant, also in nested terminations.
const dollarKind = createCodec({ discriminant: '$kind' });
console.log(
  dollarKind.encode(
    terminations.childFailed({
      child: { name: 'fetch', path: 'fetch#1' },
      termination: terminations.providerFailed({ status: 503, attempts: 2 }),
    }),
  ),
);

// Full control: a custom form for some kinds, the default one for the rest.
const short = createCodec({
  encode: (t) => (t.kind === 'max_iterations' ? ['MI', t.limit, t.used] : undefined),
  decode: (value) => {
    if (!Array.isArray(value) || value[0] !== 'MI') return undefined;
    return terminations.maxIterations({ limit: value[1], used: value[2] });
  },
});
console.log(short.encode(terminations.maxIterations({ limit: 25, used: 25 })));
console.log(short.decode('["MI",25,25]'));
console.log(short.encode(terminations.naturalEnd()));
