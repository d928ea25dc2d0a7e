import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { defineAgent } from '../define-agent.js';
import { runAgent } from '../run-agent.js';
import { otherNames } from './other-names.js';

const model = () => scriptedModel([{ text: 'done' }]);
const agent = () => defineAgent({ name: 'helper', model: model() });

/** The names that runAgent says it has. */
async function knownNames(): Promise<readonly string[]> {
  const refused = await runAgent({ model: model(), prompt: 'go', zzz: 1 } as never).catch((error: Error) => error);
  const list = /there are (.*)\.$/.exec((refused as Error).message)?.[1] ?? '';
  return list.split(', ');
}

describe('an option under the name that another library has for it', () => {
  it.each(Object.entries(otherNames))('%s is refused by runAgent, with ours: %s', async (name, meant) => {
    const asked = runAgent({ model: model(), prompt: 'go', [name]: 1 } as never);
    await expect(asked).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: `runAgent has no option "${name}": here it is ${meant}.`,
    });
  });

  it('is always one that there is, and never one of ours', async () => {
    const names = await knownNames();
    expect(names).toContain('stopWhen');
    for (const [name, meant] of Object.entries(otherNames)) {
      expect(names, name).toContain(/^\w+/.exec(meant)?.[0]);
      expect(names, name).not.toContain(name);
    }
  });

  it('says where ours is given', async () => {
    expect(() => defineAgent({ model: model(), system: 'x' } as never)).toThrow(
      'defineAgent has no option "system": here it is instructions.',
    );
    expect(() => defineAgent({ model: model(), abortSignal: 1 } as never)).toThrow(
      'here it is signal, which is given to run(input, { signal }).',
    );
    await expect(agent().run('go', { abortSignal: 1 } as never)).rejects.toThrow(
      'The start of helper has no option "abortSignal": here it is signal.',
    );
    await expect(agent().run('go', { temperature: 1 } as never)).rejects.toThrow(
      'here it is settings: { temperature }, an option of defineAgent.',
    );
  });
});

describe('a resume', () => {
  const engine = memoryEngine();

  it('names only options that it has', async () => {
    const refused = await agent()
      .resume('r', { engine, limits: {} } as never)
      .catch((error: Error) => error);
    expect((refused as Error).message).toBe(
      'The resume of helper has no option "limits"; there are alwaysReplay, answers, by, context, deadlines, engine, guidance, onDelta, onEntry, onPause, onlyAfter, repair, settings, signal, stopWhen, without.',
    );
  });

  it('says where an option of another name is given', async () => {
    const resume = (options: object) => agent().resume('r', { engine, ...options } as never);
    await expect(resume({ abortSignal: 1 })).rejects.toThrow('"abortSignal": here it is signal.');
    await expect(resume({ maxSteps: 9 })).rejects.toThrow('"maxSteps": here it is stopWhen: maxIterations(n).');
    await expect(resume({ maxTokens: 9 })).rejects.toThrow('here it is settings: { maxOutputTokens }.');
    await expect(resume({ topP: 9 })).rejects.toThrow('here it is settings: { topP }, an option of defineAgent.');
  });
});

describe('stopWhen', () => {
  const calls = () => scriptedModel([{ toolCalls: [{ tool: 'look', input: {} }] }], { exhausted: 'repeat-last' });
  const tools = { look: { execute: () => 'seen' } };

  it('is one condition or a list, at the start and at a resume', async () => {
    const looking = defineAgent({ model: calls(), tools, stopWhen: maxIterations(2) });
    expect(looking.stopWhen.map(({ name }) => name)).toEqual(['maxIterations']);
    const first = await looking.run('go');
    expect(first.termination).toMatchObject({ kind: 'max_iterations', limit: 2 });
    const second = await first.resume({ stopWhen: maxIterations(3) });
    expect(second.termination).toMatchObject({ kind: 'max_iterations', limit: 3 });
    const third = await second.resume({ stopWhen: [maxIterations(4)] });
    expect(third.termination).toMatchObject({ kind: 'max_iterations', limit: 4 });
    const once = await runAgent({ model: calls(), tools, prompt: 'go', stopWhen: maxIterations(1) });
    expect(once.termination).toMatchObject({ kind: 'max_iterations', limit: 1 });
  });
});
