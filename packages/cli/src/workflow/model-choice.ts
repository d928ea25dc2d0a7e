import { resolve } from 'node:path';
import type { JsonObject } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { isThere } from '../command-line/is-there.js';
import type { OptionValues } from '../command-line/option.js';
import { UsageError } from '../command-line/usage-error.js';
import type { modelOptions } from './model-options.js';

/** Who answers for the agents of a run, as it was said on a command line. */
export type ModelChoice = OptionValues<typeof modelOptions>;

// In the options of the entries that open a segment, beside those of the run itself.
const place = 'commandLine';

/** The choice that was given now; else the latest that was given for the run. */
export function modelChoice(given: ModelChoice, journal: readonly JournalEntry[], cwd: string): ModelChoice {
  const remembered: ModelChoice = Object.assign({}, given, ...journal.map(choiceIn));
  if (isChoice(given)) return whole(withProvider(given, remembered), cwd);
  const { scripted } = remembered;
  if (scripted !== undefined && !isThere(scripted))
    throw new UsageError(
      `The script ${scripted}, which answered for this run, is no longer there. Name another: --scripted FILE, or --provider and --model.`,
    );
  return remembered;
}

/** The choice as options to store with a run. */
export function rememberedChoice({ scripted, provider, model }: ModelChoice): JsonObject {
  const choice = {
    ...(scripted !== undefined && { scripted }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
  };
  return Object.keys(choice).length === 0 ? {} : { [place]: choice };
}

function isChoice({ scripted, provider, model }: ModelChoice): boolean {
  return (scripted ?? provider ?? model) !== undefined;
}

/** A model alone is one of the provider that answered before. */
function withProvider(given: ModelChoice, { provider }: ModelChoice): ModelChoice {
  const isAlone = given.provider === undefined && given.scripted === undefined && given.model?.includes('/') === false;
  return isAlone ? { ...given, provider } : given;
}

/** A script is found again from any folder. */
function whole({ scripted, provider, model, ...rest }: ModelChoice, cwd: string): ModelChoice {
  return { ...rest, provider, model, scripted: scripted === undefined ? undefined : resolve(cwd, scripted) };
}

function choiceIn(entry: JournalEntry): Omit<ModelChoice, 'allow-unknown-prices'> | undefined {
  if (entry.type !== 'run_started' && entry.type !== 'segment_opened') return undefined;
  const stored = entry.data.options?.[place];
  if (typeof stored !== 'object' || stored === null) return undefined;
  const { scripted, provider, model } = stored as Readonly<Record<string, unknown>>;
  return { scripted: textOf(scripted), provider: textOf(provider), model: textOf(model) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
