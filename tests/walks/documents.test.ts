import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { root } from '../../scripts/published-packages.js';
import { type ModelServer, startModelServer } from '../models/servers/model-server.js';
import type { Reply } from '../models/servers/reply.js';
import { Walker } from './follow-walk.js';
import { readWalk, type WalkStep } from './read-walk.js';

/** The pages of frameworks, whose many packages are for `FULLSTOP_ADAPTERS=all`; their programs are run by `tests/adapters` in any case. */
const ofFrameworks = ['langgraph', 'mastra', 'openai-agents'].map((name) => `docs/coming-from-${name}.md`);

/** The pages whose commands work in an empty folder. */
const documents = [
  'README.md',
  'docs/quickstart.md',
  'docs/workflow-tutorial.md',
  'docs/coming-from-ai-sdk.md',
  'docs/coming-from-conductor.md',
  ...(process.env['FULLSTOP_ADAPTERS'] === 'all' ? ofFrameworks : []),
];

interface LivePage {
  readonly replies: readonly Reply[];
  readonly printed: RegExp;
}

/** The replies of a provider that does what a model would, for the pages with commands that ask one. */
const live: Readonly<Record<string, LivePage>> = {
  'docs/quickstart.md': {
    replies: [
      { toolCalls: [{ id: 'call_1', name: 'search', arguments: '{"query":"steel"}' }] },
      { text: 'Birch is the cheapest, at $395 a ton.' },
    ],
    printed: /^natural_end · .*\nBirch is the cheapest/,
  },
  'docs/workflow-tutorial.md': {
    replies: [{ text: '{"amount":240,"purpose":"travel"}' }],
    printed: /"receipt": "R-240"/,
  },
};

let provider: ModelServer;
beforeAll(async () => {
  provider = await startModelServer();
});
afterAll(() => provider.close());

describe.each(documents)('%s', (document) => {
  test('can be followed literally in an empty folder', async () => {
    const steps = readWalk(readFileSync(join(root, document), 'utf8'));
    expect(steps.filter(({ type }) => type === 'run')).not.toEqual([]);
    const walker = new Walker(inject('walkTools'), { provider: provider.url });
    try {
      for (const step of steps) {
        if (isLive(step)) provider.reply(...(live[document]?.replies ?? []));
        const printed = await walker.follow(step);
        const shown = isLive(step) ? (live[document]?.printed ?? /^$/) : shownBy(step);
        expect(printed, `${document}:${step.line}`).toMatch(shown);
      }
    } finally {
      walker.remove();
    }
  });
});

function isLive(step: WalkStep): boolean {
  return step.type === 'run' && step.isLive;
}

/** The output that the document shows for a step; the text inside of it must be printed as it is. */
function shownBy(step: WalkStep): string {
  if (step.type === 'run') return step.printed ?? '';
  return step.type === 'session' ? lastResult(step.text) : '';
}

/** The JSON that the first command of a session prints to standard output. */
function lastResult(session: string): string {
  return /^\{\n[\s\S]*?^\}$/m.exec(session)?.[0] ?? '';
}
