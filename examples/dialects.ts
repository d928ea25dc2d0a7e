import { terminations } from 'fullstop';
import { aiSdk, claudeAgentSdk, needlr } from 'fullstop/dialects';

const ending = terminations.maxIterations({ limit: 25, used: 25 });

for (const dialect of [needlr, claudeAgentSdk, aiSdk]) {
  const { value, fidelity, lost } = dialect.encode(ending);
  console.log(`${dialect.title}: ${JSON.stringify(value)}`);
  console.log(`  fidelity: ${fidelity}, lost: ${lost.join(', ') || 'nothing'}`);
}

// Whatever a foreign value does not say stays unknown; ambiguous words stay ambiguous.
console.log(needlr.decode({ $kind: 'BudgetPressure', Threshold: 0.8 }));
console.log(aiSdk.decode('tool-calls').termination);
