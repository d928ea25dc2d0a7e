/** After so many owners that died without an entry a run ends as a crash loop. */
export const mostRecoveries = 5;
