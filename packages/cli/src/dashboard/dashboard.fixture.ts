import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createSecrets } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { loadWorkflow, type WorkflowResult } from 'fullstop/workflow';
import type { Store } from '../store/open-store.js';
import { type DashboardOptions, type OpenDashboard, openDashboard } from './open-dashboard.js';

/** A folder with a store and a dashboard on it, for one test. */
export class DashboardPlace {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fullstop-dashboard-'));
  readonly store: Store;
  /** How often a worker was asked for. */
  workers = 0;
  dashboard!: OpenDashboard;

  constructor() {
    const file = join(this.folder, 'runs.db');
    this.store = {
      engine: sqliteEngine(file),
      location: { file, beside: file, origin: 'default' },
      loaded: { config: {} },
    };
  }

  static async open(options: Partial<DashboardOptions> = {}): Promise<DashboardPlace> {
    const place = new DashboardPlace();
    const page = join(place.folder, 'page');
    mkdirSync(join(page, 'assets'), { recursive: true });
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>Fullstop</title>');
    writeFileSync(join(page, 'assets', 'app-ABCD1234.js'), 'export {};');
    writeFileSync(join(place.folder, 'outside.txt'), 'not for anyone');
    const secrets = createSecrets({ API_KEY: 'very-secret-value' });
    place.dashboard = await openDashboard({
      store: place.store,
      folder: page,
      mask: (shown) => secrets.mask(shown),
      by: 'tester',
      cwd: place.folder,
      env: {},
      readOnly: false,
      ensureWorker: async () => {
        place.workers += 1;
      },
      ...options,
    });
    return place;
  }

  write(name: string, content: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }

  /** Runs a workflow to its first ending. */
  run(content: string, options: { readonly runId: string; readonly inputs?: string }): Promise<WorkflowResult> {
    const file = this.write('workflow.yaml', content);
    return loadWorkflow(file).run(options.inputs ?? '{}', { engine: this.store.engine, runId: options.runId });
  }

  get bearer(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.dashboard.token}` };
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.dashboard.origin}${path}`, { headers: this.bearer });
  }

  async json<T>(path: string): Promise<T> {
    const response = await this.get(path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.dashboard.origin}${path}`, {
      method: 'POST',
      headers: { ...this.bearer, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** A request with headers and a path that browsers and `fetch` would not send. */
  raw(
    path: string,
    { method = 'GET', headers = {}, body = '' }: RawRequest = {},
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly body: string }> {
    const { hostname, port, host } = new URL(this.dashboard.origin);
    return new Promise((resolve, reject) => {
      const asked = httpRequest({ hostname, port, path, method, headers: { host, ...headers } }, (response) => {
        const found = new Headers(response.headers as Record<string, string>);
        text(response).then(
          (shown) => resolve({ status: response.statusCode ?? 0, headers: found, body: shown }),
          reject,
        );
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  async close(): Promise<void> {
    await this.dashboard?.close();
    await this.store.engine.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
