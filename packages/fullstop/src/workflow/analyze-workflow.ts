import { analyzeFile, type WorkflowAnalysis } from './analyze/analyze-file.js';
import type { LoadedDocument } from './load/loaded-document.js';

/** Finds every way in which a workflow can end, and what looks wrong on the way. */
export function analyzeWorkflow(loaded: LoadedDocument): WorkflowAnalysis {
  return analyzeFile(loaded);
}
