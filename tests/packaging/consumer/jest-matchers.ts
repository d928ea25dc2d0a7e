import { maxIterations, runAgent } from 'fullstop';
import { scriptedModel, terminationMatchers } from 'fullstop/testing';

// The shape of @types/jest, with which the matchers of `fullstop/testing` merge.
declare global {
  // biome-ignore lint/style/noNamespace: the name is theirs
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as it is written there
    interface Matchers<R, T = {}> {
      toBe(expected: T): R;
    }
  }
}
declare const expect: {
  <T>(actual: T): jest.Matchers<void, T>;
  extend(matchers: Readonly<Record<string, (received: unknown, ...expected: never[]) => unknown>>): void;
};

expect.extend({ ...terminationMatchers });
const result = await runAgent({
  model: scriptedModel([{ text: 'done' }]),
  prompt: 'go',
  stopWhen: [maxIterations(25)],
});
expect(result).toEndWith('max_iterations', { limit: 25 });
expect(result.termination).toEndAs('capacity');
// @ts-expect-error these options cannot end so
expect(result).toEndWith('converged');
