import { describe, expect, it } from 'vitest';
import { call, endingsOf, failed, observation, round } from '../loop.fixture.js';
import { stopOnTool } from './stop-on-tool.js';

describe('stopOnTool', () => {
  it('fires once the call has a result, among others in its round', () => {
    const rounds = [round(call('search')), round(call('search'), call('finish'), failed('notify'))];
    expect(endingsOf(stopOnTool('finish'), rounds)).toEqual([undefined, { kind: 'tool_called', tool: 'finish' }]);
  });

  it.each([
    ['a tool with a similar name', round(call('Finish'), call('finished'))],
    ['a response that only asks for it', observation({ point: 'after_response' })],
  ])('does not fire on %s', (_name, at) => {
    expect(endingsOf(stopOnTool('finish'), [at])).toEqual([undefined]);
  });

  it('fires on a call that failed, unless only success counts', () => {
    const at = round(failed('finish'));
    expect(endingsOf(stopOnTool('finish'), [at])).toEqual([{ kind: 'tool_called', tool: 'finish' }]);
    expect(endingsOf(stopOnTool('finish', { succeeded: true }), [at])).toEqual([undefined]);
  });

  it('has a name of its own for each tool, so that several can be in one list', () => {
    expect(stopOnTool('a').name).not.toBe(stopOnTool('b').name);
  });

  it.each(['', undefined, 5])('refuses %s as a tool', (tool) => {
    expect(() => stopOnTool(tool as string)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });
});
