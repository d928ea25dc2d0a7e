import { host } from '../../engines/port/host.js';

/**
 * Calls back when everything that is ready now has run: in a later turn of the event loop, without a timer where possible.
 * Returns what cancels it, so that what the callback holds can be let go before.
 */
export function nextTurn(callback: () => void): () => void {
  if (host.setImmediate !== undefined) {
    const immediate = host.setImmediate(callback);
    return () => host.clearImmediate?.(immediate);
  }
  if (host.MessageChannel !== undefined) return viaChannel(host.MessageChannel, callback);
  const timer = host.setTimeout(callback, 0);
  return () => host.clearTimeout(timer);
}

/** Browsers delay nested timers by 4 ms, but not messages. */
function viaChannel(Channel: NonNullable<typeof host.MessageChannel>, callback: () => void): () => void {
  const { port1, port2 } = new Channel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
  return () => port1.close();
}

/**
 * Calls back when no microtask is left: everything that follows from promises which are settled now has happened. To be
 * called in a microtask. Node has it without a turn of the event loop, which would cost more than a whole step in memory: a tick
 * that a microtask asks for comes after the last microtask. Undefined elsewhere: others do not promise that order.
 */
export const afterMicrotasks: ((callback: () => void) => void) | undefined = tickOfNode(host.process);

function tickOfNode({
  versions,
  nextTick,
}: NonNullable<typeof host.process> | Record<string, never> = {}): typeof afterMicrotasks {
  const isNode = versions?.['node'] !== undefined && versions['bun'] === undefined && versions['deno'] === undefined;
  return isNode ? nextTick : undefined;
}
