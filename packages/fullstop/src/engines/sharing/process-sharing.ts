import type { Clock } from '../port/clock.js';
import type { Engine } from '../port/engine.js';
import { checkProviderLimits, type ProviderLimits } from '../port/provider-gate.js';
import { makeProviderGate } from './make-provider-gate.js';
import { processProviderLedger } from './process-provider-ledger.js';
import { processSpending } from './process-spending.js';

/** The limits and accounts that runs keep together, for engines whose runs are executed by one process. */
export function processSharing(
  engine: string,
  { providerLimits, clock }: { readonly providerLimits?: ProviderLimits | undefined; readonly clock: Clock },
): Pick<Engine, 'providers' | 'spending'> {
  const spending = processSpending();
  if (providerLimits === undefined) return { spending };
  checkProviderLimits(providerLimits, engine);
  return { spending, providers: makeProviderGate(providerLimits, processProviderLedger(clock), clock) };
}
