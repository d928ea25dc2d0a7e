import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTermination } from '../termination/define-termination.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import { acp } from './acp.js';
import { describeDialect } from './dialect-suite.fixture.js';

describeDialect(acp, [
  { value: 'end_turn', termination: { kind: 'natural_end' }, unknown: [] },
  {
    value: 'max_tokens',
    termination: { kind: 'indeterminate', candidates: ['output_truncated', 'token_budget'] },
    unknown: [],
  },
  { value: 'max_turn_requests', termination: { kind: 'max_iterations' }, unknown: ['limit', 'used', 'unit'] },
  { value: 'refusal', termination: { kind: 'agent_refused' }, unknown: ['agentId', 'reason', 'by'] },
  { value: 'cancelled', termination: { kind: 'cancelled', by: 'caller' }, unknown: [] },
]);

describe('ACP', () => {
  it.each([terminations.outputTruncated({ reason: 'length' }), terminations.tokenBudget({ limit: 1000, used: 1200 })])(
    'folds $kind into max_tokens, and says that the kind is lost',
    (termination) => {
      const { value, fidelity, lost } = acp.encode(termination);
      expect(value).toBe('max_tokens');
      expect(fidelity).toBe('none');
      expect(lost).toContain('kind');
    },
  );

  it.each([
    terminations.noProgress({ limit: 3, used: 3, snapshot: null }),
    terminations.timeBudget({ limitMs: 1000, elapsedMs: 1001 }),
  ])('calls the limit behind $kind a limit on requests', (termination) => {
    expect(acp.encode(termination)).toMatchObject({ value: 'max_turn_requests', fidelity: 'none' });
  });

  it('has no word for failures, which are JSON-RPC errors there', () => {
    const error = { name: 'Error', message: 'boom' };
    expect(acp.encode(terminations.failed({ error, origin: 'tool', errorClass: 'internal' })).value).toBeNull();
    expect(acp.encode(terminations.providerFailed({ attempts: 3 })).value).toBeNull();
  });

  it('has no word for a pause, which is a question within the turn there', () => {
    expect(acp.encode(terminations.interactionPending({ requests: [] })).value).toBeNull();
    expect(() => acp.decode('suspended')).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('has no word for an ending that does not say why it ended', () => {
    expect(acp.encode(terminations.indeterminate({ candidates: ['failed'] })).value).toBeNull();
    expect(acp.encode({ kind: 'custom', reason: 'who knows' }).value).toBeNull();
  });

  it('reads and writes an extension, which begins with an underscore', () => {
    const reconciled = defineTermination({
      kind: 'billing.reconciled',
      schema: z.object({}),
      family: 'completion',
      category: 'success',
      dialects: { acp: '_reconciled' },
    });
    const registry = createRegistry([reconciled]);
    expect(acp.encode(reconciled({}), { registry })).toEqual({ value: '_reconciled', fidelity: 'full', lost: [] });
    expect(acp.decode('_reconciled', { registry }).termination).toEqual(reconciled({}));
  });
});
