import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The Markdown files that readers come to, from the root of the repository. */
export function publishedDocuments(root: string): readonly string[] {
  const below = ['.github', 'decisions', 'docs', 'examples', 'skills'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return [...readdirSync(root), ...below].filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
}
