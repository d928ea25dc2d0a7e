/** The endings that a failed call of a model leads to, whoever made it. */
export const modelFailureKinds = ['prompt_too_long', 'provider_auth', 'provider_failed', 'provider_quota'] as const;

export type ModelFailureKind = (typeof modelFailureKinds)[number];
