import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import type { AgentPermissions } from '../agent/options/permissions.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { stopOnTool } from './conditions/stop-on-tool.js';

const tools = { look: { readOnly: true, execute: () => 1 }, write: { execute: () => 2 } };
const model = () => scriptedModel([{ toolCalls: [{ tool: 'write' }] }, { text: 'done' }]);

/** The permissions under which no call of `write` can succeed, with the reason. */
const denials: readonly (readonly [AgentPermissions, string])[] = [
  [{ deny: ['write'] }, 'it is on the list of denied tools'],
  [{ allow: ['look'] }, 'it is not on the list of allowed tools'],
  [{ readOnly: true }, 'only tools that read may be called'],
  [{ deny: ['write'], ask: ['write'] }, 'it is on the list of denied tools'],
];

describe.each(denials)('stopOnTool of a tool under %j', (permissions, reason) => {
  const succeeded = stopOnTool('write', { succeeded: true });
  const refusal = {
    code: 'INVALID_OPTION',
    message: `stopWhen: stopOnTool names "write" with succeeded: true, but no call of it can succeed: ${reason}. The condition could never end the run.`,
  };

  it('is refused where only a call that succeeded counts', () => {
    expect(() => defineAgent({ model: model(), tools, permissions, stopWhen: [succeeded] })).toThrow(
      expect.objectContaining(refusal),
    );
  });

  it('is refused on a resume too', async () => {
    const result = await defineAgent({ model: model(), tools, permissions, stopWhen: [stopOnTool('write')] }).run('go');
    const first = await defineAgent({ model: scriptedModel([{ error: 'auth' }]), tools, permissions }).run('go');
    await expect(first.resume({ stopWhen: [succeeded] })).rejects.toMatchObject(refusal);
    expect(result.termination).toEqual({ kind: 'tool_called', tool: 'write' });
  });
});

describe('stopOnTool of a tool that may be called', () => {
  it.each([{ allow: ['write'] }, { ask: ['write'] }, { deny: ['look'] }, {}])('is accepted under %j', (permissions) => {
    const stopWhen = [stopOnTool('write', { succeeded: true })];
    expect(() => defineAgent({ model: model(), tools, permissions, stopWhen })).not.toThrow();
  });
});
