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

/** A conversation that is read when someone first looks at it. */
interface Conversation {
  readonly read: () => readonly unknown[];
  messages: readonly unknown[] | undefined;
}

const conversation: unique symbol = Symbol('conversation');

/**
 * One getter for all views: with a getter of its own each view would have a hidden class of its own, which keeps the whole
 * conversation until a full collection.
 */
function readMessages(this: { readonly [conversation]: Conversation }): readonly unknown[] {
  const known = this[conversation];
  known.messages ??= known.read();
  return known.messages;
}

/** A view with the conversation, which is made only if someone looks at it. */
export function withMessages<TView extends object, TMessage>(
  view: TView,
  read: () => readonly TMessage[],
): TView & { readonly messages: readonly TMessage[] } {
  const value: Conversation = { read, messages: undefined };
  Object.defineProperty(view, conversation, { value });
  Object.defineProperty(view, 'messages', { get: readMessages, enumerable: true });
  return Object.freeze(view) as TView & { readonly messages: readonly TMessage[] };
}
