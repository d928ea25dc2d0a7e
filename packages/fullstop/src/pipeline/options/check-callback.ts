import { invalidOption, type OptionPlace } from '../../stop/check-option.js';

/** Refuses what is there and cannot be called. */
export function checkCallback(value: unknown, place: OptionPlace): void {
  if (value !== undefined && typeof value !== 'function') throw invalidOption(value, place, 'a function');
}
