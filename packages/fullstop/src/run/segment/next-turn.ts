import { host } from '../../engines/port/host.js';

/**
 * Calls back when everything that is ready now has run: in a later turn of the event loop, without a timer where possible.
 * Gives the way to take it back, so that what the callback holds can be let go before.
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
