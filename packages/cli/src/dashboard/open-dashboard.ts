import { join } from 'node:path';
import { packageFolder, programVersion } from '../command-line/package-folder.js';
import type { Store } from '../store/open-store.js';
import type { Mask } from '../terminal/terminal.js';
import { makeApp } from './http/app.js';
import { makeGuard, newToken } from './http/guard.js';
import { type Listening, listen } from './http/listen.js';
import { staticFiles } from './http/static-files.js';
import { runPages } from './reads/run-pages.js';
import { rowMaker } from './reads/run-row.js';
import { allRoutes } from './routes/all-routes.js';
import type { DashboardSurroundings } from './surroundings.js';

export interface DashboardOptions
  extends Pick<DashboardSurroundings, 'by' | 'cwd' | 'ensureWorker' | 'env' | 'readOnly' | 'run'> {
  readonly store: Store;
  /** The store as it was named on the command line. */
  readonly named?: string | undefined;
  readonly mask: Mask;
  /** 127.0.0.1 unless given. */
  readonly address?: string;
  /** Any that is free unless given. */
  readonly port?: number;
  readonly allowedHosts?: readonly string[];
  /** Drawn unless given. */
  readonly token?: string;
  /** The files of the page; those of this package unless given. */
  readonly folder?: string;
}

/** A dashboard that listens. */
export interface OpenDashboard {
  /** Where to open it, with the token. */
  readonly url: string;
  /** The same without. */
  readonly origin: string;
  readonly token: string;
  close(): Promise<void>;
}

/** Serves the pages and the API of a store until it is closed. */
export async function openDashboard(options: DashboardOptions): Promise<OpenDashboard> {
  const { store, named, mask, address = '127.0.0.1', port = 0, allowedHosts = [], token = newToken(), run } = options;
  const { by, cwd, env, readOnly, ensureWorker } = options;
  const rows = rowMaker({ engine: store.engine, store: named });
  const pages = runPages({ engine: store.engine, store: named, rows, env });
  const version = programVersion();
  const closing = new AbortController();
  const around: DashboardSurroundings = {
    ...{ store, named, rows, pages, env, cwd, by, readOnly, version, mask, ensureWorker, run },
    closing: closing.signal,
  };
  let listening: Listening | undefined;
  const guard = makeGuard({ token, address, allowedHosts }, () => listening?.port ?? port);
  const files = staticFiles(options.folder ?? join(packageFolder(), 'dist', 'dashboard'));
  const app = makeApp({ guard, routes: allRoutes(around), files, readOnly, mask, prepare: pages.prepare });
  listening = await listen({ address, port, answer: (request) => app.fetch(request) });
  const origin = `http://${shownHost(address)}:${listening.port}`;
  const { close } = listening;
  return {
    url: `${origin}/${run === undefined ? '' : `runs/${encodeURIComponent(run)}`}?token=${token}`,
    origin,
    token,
    close: async () => {
      closing.abort();
      await close();
    },
  };
}

/** An address that means every one is shown as one that can be opened. */
function shownHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return address.includes(':') ? `[${address}]` : address;
}
