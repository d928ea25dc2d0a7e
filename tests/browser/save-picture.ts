import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Saves what is in view as `.cache/screenshots/<name>.png`, without anything that moves, and returns the file's path. */
export async function savePicture(page: Page, name: string): Promise<string> {
  const folder = join(import.meta.dirname, '../../.cache/screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  return path;
}
