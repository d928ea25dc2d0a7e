import { loadDocument } from '../load/load-document.js';

// A program of its own: loads a file as a user without rights, also where the tests run as root, and says which problems it has.

const nobody = 65534;
if (process.getuid?.() === 0) {
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
const result = loadDocument({ file: process.argv[2] as string, env: {} });
process.stdout.write(result.ok ? 'loaded' : result.problems.map(({ code }) => code).join());
