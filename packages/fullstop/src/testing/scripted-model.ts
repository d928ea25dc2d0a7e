export { parseScript } from '../models/parse-script.js';
export { createRecording, type ModelRecording, type RecordingSink, recordModel } from '../models/record-model.js';
export type {
  Script,
  ScriptAnswer,
  ScriptErrorWord,
  ScriptHttpError,
  ScriptThrownError,
  ScriptToolCall,
  ScriptUsage,
} from '../models/script.js';
export {
  type ScriptedAnswers,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '../models/scripted-model.js';
