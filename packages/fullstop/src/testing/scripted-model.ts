export { parseScript } from '../models/scripted/parse-script.js';
export {
  createRecording,
  type ModelRecording,
  type RecordingSink,
  recordModel,
} from '../models/scripted/record-model.js';
export type {
  Script,
  ScriptAnswer,
  ScriptErrorWord,
  ScriptHttpError,
  ScriptPart,
  ScriptReasoning,
  ScriptThrownError,
  ScriptToolCall,
  ScriptUsage,
} from '../models/scripted/script.js';
export {
  type ScriptedAnswers,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '../models/scripted/scripted-model.js';
