/** The words that are no answers to a question. */
export const reserved = { back: '__back__', skip: '__skip__', skipAll: '__skip_all__', abort: '__abort__' } as const;

/** The word of a resume that skips all gates: it passes by the rest of the questions, those too that need an answer. */
export const passedBy = '__skip_gates__';

/** No choice of a question may be one of these; the reference has two more of them. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...Object.values(reserved),
  passedBy,
  '__free_text__',
  '__finish__',
]);
