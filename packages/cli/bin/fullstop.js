#!/usr/bin/env node
// Stands in the repository, so that the command is linked before it is built. An older Node would fail in the middle of the program, with a message about syntax.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) await import('../dist/main.js');
else {
  process.stderr.write(`fullstop needs Node 20.19 or newer; this is ${process.version}.\n`);
  process.exitCode = 2;
}
