import { checkMilliseconds } from '../../run/check-run-options.js';
import { checkOptions, invalidOption, oneWord, positiveLimit, someText, wholeLimit } from '../../stop/check-option.js';
import { isObject } from '../../termination/json.js';
import type { AnyAgentOptions, ModelRetry } from './agent-options.js';
import { checkSettings } from './check-settings.js';
import type { CompactionOptions } from './compaction.js';
import type { AgentPermissions } from './permissions.js';

type Known<T> = Readonly<Record<keyof T, true>>;

const ofPermissions: Known<AgentPermissions> = { allow: true, approval: true, ask: true, deny: true, readOnly: true };
const ofCompaction: Known<CompactionOptions> = { at: true, contextWindow: true, strategies: true };
const ofRetry: Known<ModelRetry> = { attempts: true, initialDelayMs: true, maximumDelayMs: true, on: true };

/** Refuses what means nothing inside the options: a guard under a misspelt name would guard nothing. */
export function checkNestedOptions({ permissions, compaction, retry, settings, tools }: AnyAgentOptions): void {
  if (permissions !== undefined) checkPermissionOptions(permissions);
  if (compaction !== undefined) checkCompaction(compaction);
  if (retry !== undefined) checkRetryOptions(retry);
  if (settings !== undefined) checkSettings(settings, isObject(tools) ? Object.keys(tools) : []);
}

function namesOf<T>(known: Known<T>): readonly (keyof T & string)[] {
  return Object.keys(known) as (keyof T & string)[];
}

function checkPermissionOptions(permissions: AgentPermissions): void {
  checkOptions(permissions, 'permissions', namesOf(ofPermissions));
  for (const option of ['allow', 'ask', 'deny'] as const) {
    const list: unknown = permissions[option];
    if (list !== undefined && !isTexts(list))
      throw invalidOption(list, { builder: 'permissions', option }, 'a list of names of tools');
  }
  const { readOnly } = permissions;
  if (readOnly !== undefined && typeof readOnly !== 'boolean')
    throw invalidOption(readOnly, { builder: 'permissions', option: 'readOnly' }, 'true or false');
}

function checkCompaction(compaction: CompactionOptions): void {
  const builder = 'compaction';
  checkOptions(compaction, builder, namesOf(ofCompaction));
  const { at, contextWindow, strategies } = compaction;
  if (contextWindow !== undefined) wholeLimit(contextWindow, { builder, option: 'contextWindow' });
  if (at !== undefined && positiveLimit(at, { builder, option: 'at' }) > 1)
    throw invalidOption(at, { builder, option: 'at' }, 'a part of the window, at most 1');
  if (strategies === undefined) return;
  if (!Array.isArray(strategies)) throw invalidOption(strategies, { builder, option: 'strategies' }, 'a list');
  for (const [index, strategy] of (strategies as readonly unknown[]).entries()) {
    const option = `strategies[${index}]`;
    const isStrategy = isObject(strategy) && typeof strategy['compact'] === 'function';
    if (!isStrategy) throw invalidOption(strategy, { builder, option }, 'a strategy, such as clearToolResults()');
    someText(strategy['name'], { builder, option: `${option}.name` });
  }
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

function checkRetryOptions(retry: ModelRetry): void {
  checkOptions(retry, 'retry', namesOf(ofRetry));
  for (const option of ['initialDelayMs', 'maximumDelayMs'] as const) {
    const delay = retry[option];
    if (delay !== undefined) checkMilliseconds(delay, 'retry', option);
  }
  const on: unknown = retry.on;
  if (on === undefined) return;
  if (!Array.isArray(on))
    throw invalidOption(on, { builder: 'retry', option: 'on' }, 'a list of "error" and "timeout"');
  for (const each of on) oneWord(each, { builder: 'retry', option: 'on' }, ['error', 'timeout']);
}
