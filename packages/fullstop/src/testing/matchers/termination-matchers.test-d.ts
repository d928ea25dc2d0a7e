import { expect, it } from 'vitest';
import { runAgent } from '../../agent/run-agent.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { loopDetection } from '../../stop/conditions/loop-detection.js';

it('knows the kinds of what it is given, and their evidence', async () => {
  const result = await runAgent({ model: scriptedModel([]), prompt: 'go', stopWhen: [loopDetection()] });
  expect(result).toEndWith('loop_detected', { repeats: 3, cycle: [{ tool: 'search' }] });
  expect(result).not.toEndWith('max_iterations', { limit: expect.any(Number) });
  expect(result.termination).toEndWith('natural_end');
  void expect(Promise.resolve(result)).resolves.toEndWith('natural_end');
  // @ts-expect-error these options cannot end so
  expect(result).toEndWith('converged');
  // @ts-expect-error there is no such kind
  expect(result).toEndWith('max_iteration');
  // @ts-expect-error the evidence of another kind
  expect(result).toEndWith('max_iterations', { cycle: [] });
  // @ts-expect-error there is no such category
  expect(result).toEndAs('failed');
  expect(JSON.parse('{}')).toEndWith('converged', { cycles: 4 });
  // @ts-expect-error no kind at all, whatever was received
  expect(JSON.parse('{}')).toEndWith('convergd');
});
