import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** A file of the page. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True where the name changes with the content, so that it may be kept for ever. */
  readonly isHashed: boolean;
}

/** The files of the page by their addresses. They are listed beforehand, so that no address leads to another file. */
export function staticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const address = `/${path
        .slice(folder.length + 1)
        .split(sep)
        .join('/')}`;
      const type = types[extname(name)] ?? 'application/octet-stream';
      return [address, { type, bytes: new Uint8Array(readFileSync(path)), isHashed: /-[A-Z0-9]{8}\./.test(name) }];
    }),
  );
}
