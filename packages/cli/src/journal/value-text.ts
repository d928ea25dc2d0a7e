import type { JsonValue } from 'fullstop';
import type { Charge } from 'fullstop/engine';
import { oneLine } from '../terminal/foreign-text.js';
import { fitted } from '../terminal/wrap.js';

/** A value on one line: texts as they are, everything else as JSON, cut where it gets long. */
export function valueText(value: JsonValue | undefined, most = 120): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return fitted(oneLine(text.slice(0, most * 4)), most);
}

/** `search({"q":"x"})`: a call as its reader would write it. */
export function callText(tool: string, input: JsonValue | undefined, most = 80): string {
  return `${tool}(${input === undefined ? '…' : valueText(input, most)})`;
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinalText(count: number): string {
  const rest = count % 100;
  if (rest >= 11 && rest <= 13) return `${count}th`;
  return `${count}${['th', 'st', 'nd', 'rd'][count % 10] ?? 'th'}`;
}

/** `3 min ago`, `in 2 h`. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  const text = roughly(distance);
  if (text === 'now') return 'now';
  return at <= now ? `${text} ago` : `in ${text}`;
}

function roughly(milliseconds: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ] as const;
  const unit = units.find(([, size]) => milliseconds >= size);
  return unit === undefined ? 'now' : `${Math.floor(milliseconds / unit[1])} ${unit[0]}`;
}

/** `0.4s`, `12s`, `3m20s`: a duration for a narrow column. */
export function shortDuration(milliseconds: number): string {
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)}s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

/** `840`, `12.4k`, `3.1M`: a number of tokens for a narrow column. */
export function shortCount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `$0.002`, `$12.40`, `~$0.02` for a cost that was guessed, or `?` where a price is not known. */
export function shortCost(costUsd: number | null | undefined, estimated = false): string {
  if (costUsd === null) return '?';
  if (costUsd === undefined) return '';
  if (costUsd === 0) return '$0';
  const about = estimated ? '~' : '';
  return `${about}$${costUsd >= 0.1 ? costUsd.toFixed(2) : Number(costUsd.toPrecision(2))}`;
}

/** The cost of something that may have used models without a known price: `$0.02`, `?`, or `$0.02+?`; nothing where nothing was spent. */
export function spentCost(spent: {
  readonly costUsd: number;
  readonly estimated?: boolean | undefined;
  readonly unpriced?: boolean | undefined;
}): string {
  const { costUsd, estimated, unpriced = false } = spent;
  const known = costUsd > 0 ? shortCost(costUsd, estimated) : '';
  if (!unpriced) return known;
  return known === '' ? '?' : `${known}+?`;
}

/** True for a charge whose price nobody knows: tokens were used. */
export function isUnpriced({ costUsd, inputTokens = 0, outputTokens = 0 }: Charge): boolean {
  return costUsd === undefined && inputTokens + outputTokens > 0;
}

/** `2026-11-16 04:32`: an instant in the time of this machine. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
