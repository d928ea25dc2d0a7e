import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLoop, call, endingsOf, firstEnding, observation } from '../loop.fixture.js';
import type { LoopObservation, ObservedCall } from '../observation.js';
import { observeText } from '../observe.js';
import { roundKey } from '../round-key.js';
import { noProgress } from './no-progress.js';

interface Iteration {
  readonly text?: string;
  readonly rounds?: readonly (readonly ObservedCall[])[];
}

function iteration({ text = '', rounds = [] }: Iteration): readonly LoopObservation[] {
  return [
    observation({ point: 'after_response', text: observeText(text, []) }),
    ...rounds.map((calls) => observation({ point: 'after_tools', calls })),
    observation({ point: 'after_iteration' }),
  ];
}

/** After how many iterations the condition fires; 0 when it never does. */
function firesAfter(limit: number, iterations: readonly Iteration[]): number {
  const endings = endingsOf(noProgress(limit), iterations.flatMap(iteration));
  const loop = iterations.flatMap(iteration);
  const index = endings.findIndex((ending) => ending !== undefined);
  return loop.slice(0, index + 1).filter(({ point }) => point === 'after_iteration').length;
}

const a: Iteration = { rounds: [[call('search', 'x', 'nothing')]] };
const b: Iteration = { rounds: [[call('read', 'y', 'nothing')]] };

describe('noProgress', () => {
  it('needs one iteration more than its limit, because the first is always new', () => {
    expect(firesAfter(3, [a, a, a])).toBe(0);
    expect(firesAfter(3, [a, a, a, a])).toBe(4);
  });

  it('sees through two iterations in turn', () => {
    expect(firesAfter(3, [a, b, a, b, a])).toBe(5);
  });

  it.each([
    ['another result', { rounds: [[call('search', 'x', 'found')]] }],
    ['other arguments', { rounds: [[call('search', 'z', 'nothing')]] }],
    ['a further round', { rounds: [[call('search', 'x', 'nothing')], [call('read', 'y', 'nothing')]] }],
    ['a text', { ...a, text: 'I see' }],
  ])('takes %s for progress', (_name, fresh) => {
    expect(firesAfter(2, [a, a, fresh, a, a])).toBe(5);
  });

  it('takes neither a blank text nor one that was said before for progress', () => {
    const saying = { ...a, text: 'Trying again' };
    expect(firesAfter(2, [saying, { ...a, text: '  ' }, { ...a, text: ' Trying again\n' }])).toBe(3);
    const other = { ...a, text: 'Once more' };
    expect(firesAfter(2, [saying, other, saying, other])).toBe(4);
  });

  it('catches a model that does nothing at all', () => {
    expect(firesAfter(3, [{}, {}, {}, {}])).toBe(4);
  });

  it('agrees with a search through the whole history', () => {
    fc.assert(
      fc.property(anyLoop, fc.integer({ min: 1, max: 3 }), (loop, limit) => {
        expect(firstEnding(noProgress(limit), loop)).toBe(bruteForce(loop, limit));
      }),
      { numRuns: 1_000 },
    );
  });

  it('says what the run was doing', () => {
    const endings = endingsOf(noProgress(1), [a, a].flatMap(iteration));
    expect(endings.at(-1)).toEqual({
      kind: 'no_progress',
      limit: 1,
      used: 1,
      snapshot: {
        iterations: 0,
        rounds: 0,
        toolCalls: 0,
        lastCalls: [{ tool: 'search', input: 'x', result: expect.any(String) }],
      },
    });
  });

  it('remembers a bounded part of the past', () => {
    const condition = noProgress();
    let state = condition.fold.init();
    for (let index = 0; index < 1_000; index += 1) {
      for (const each of iteration({ text: `${index}`, rounds: [[call('search', index)]] })) {
        state = condition.fold.observe!(state, each, []);
      }
    }
    expect(JSON.stringify(state).length).toBeLessThan(2_000);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %s', (limit) => {
    expect(() => noProgress(limit)).toThrow(expect.objectContaining({ code: 'INVALID_LIMIT' }));
  });
});

/** Compares each iteration with all before it. */
function bruteForce(loop: readonly LoopObservation[], limit: number): number {
  const iterations = new Set<string>();
  const texts = new Set<string>();
  let [rounds, saidNew, inARow] = [[] as number[], false, 0];
  return loop.findIndex(({ point, text, calls = [] }) => {
    if (text !== undefined && text.key !== '') {
      saidNew ||= !texts.has(text.key);
      texts.add(text.key);
    }
    if (calls.length > 0) rounds.push(roundKey(calls, 'results'));
    if (point === 'after_iteration') {
      inARow = saidNew || !iterations.has(rounds.join()) ? 0 : inARow + 1;
      iterations.add(rounds.join());
      [rounds, saidNew] = [[], false];
    }
    return inARow >= limit;
  });
}
