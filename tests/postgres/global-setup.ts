import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the server of Postgres is; absent where there is none, and then why. */
    readonly postgres: { readonly url: string } | { readonly missing: string };
  }
}

/** One server for all files of a project. Without one its tests are skipped, loudly; with `REQUIRE_ENGINES` that is refused. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const cluster = await startCluster();
    project.provide('postgres', { url: cluster.url });
    return () => cluster.stop();
  } catch (error) {
    if (process.env['REQUIRE_ENGINES'] === '1') throw error;
    const missing = error instanceof Error ? error.message : String(error);
    console.error(`\nSKIPPED: every test on Postgres. ${missing}\n`);
    project.provide('postgres', { missing });
    return async () => undefined;
  }
}
