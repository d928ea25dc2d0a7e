import { host } from '../engines/port/host.js';

/** Calls back when everything that is ready now has run: in a later turn of the event loop, without a timer where possible. */
export function nextTurn(callback: () => void): void {
  if (host.setImmediate !== undefined) host.setImmediate(callback);
  else if (host.MessageChannel !== undefined) viaChannel(host.MessageChannel, callback);
  else host.setTimeout(callback, 0);
}

/** Browsers delay nested timers by 4 ms, but not messages. */
function viaChannel(Channel: NonNullable<typeof host.MessageChannel>, callback: () => void): void {
  const { port1, port2 } = new Channel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
