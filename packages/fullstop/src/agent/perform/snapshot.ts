import { frozenCopy } from '../../run/frozen.js';
import type { Log } from '../../run/log.js';

/** Copies of what is in a list that only grows, so that each of its items is copied once however often it is looked at. */
const copies = new WeakMap<readonly unknown[], unknown[]>();

/** The items of a log as they are now, for code of the user's: nobody can change them, and they stay as they are when the run continues. */
export function snapshotOf<T>({ items, length }: Log<T>): readonly T[] {
  const known = (copies.get(items) ?? []) as T[];
  if (known.length === 0) copies.set(items, known);
  for (let index = known.length; index < length; index += 1) known.push(frozenCopy(items[index] as T));
  return Object.freeze(known.slice(0, length));
}

/** A view with the conversation, which is made only if someone looks at it. */
export function withMessages<TView extends object, TMessage>(
  view: TView,
  read: () => readonly TMessage[],
): TView & { readonly messages: readonly TMessage[] } {
  let messages: readonly TMessage[] | undefined;
  const get = (): readonly TMessage[] => {
    messages ??= read();
    return messages;
  };
  Object.defineProperty(view, 'messages', { get, enumerable: true });
  return Object.freeze(view) as TView & { readonly messages: readonly TMessage[] };
}
