/** Who waits for a person is asked again and again, among many runs that do not. Queries must use the very same words. */
export const pausedCondition = `category = 'paused'`;

export const version5: string = `CREATE INDEX runs_paused ON runs (started_at, run_id) WHERE ${pausedCondition};`;
