import type { JsonValue } from 'fullstop';
import { isModelKey } from 'fullstop/journal';
import { isObject } from './is-object.js';
import { valueText } from './value-text.js';

const longestText = 80;

/** The choices for one call of a model, in words; undefined where it was as the agent has it. */
export function preparedText(key: string, value: JsonValue | undefined): string | undefined {
  if (!isModelKey(key) || !isObject(value) || !isObject(value['prepared'])) return undefined;
  const { model, tools, toolChoice, instructions, messages, settings } = value['prepared'];
  const parts = [
    ...(typeof model === 'string' ? [`model ${model}`] : []),
    ...(Array.isArray(tools) ? [`tools ${tools.length === 0 ? 'none' : tools.join(', ')}`] : []),
    ...named('tool choice', toolChoice),
    ...named('instructions', instructions),
    ...(Array.isArray(messages) ? ['other messages'] : []),
    ...named('settings', settings),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

function named(name: string, value: JsonValue | undefined): readonly string[] {
  return value === undefined ? [] : [`${name} ${valueText(value, longestText)}`];
}
