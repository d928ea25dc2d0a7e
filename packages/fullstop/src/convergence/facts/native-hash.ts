import { host } from '../../engines/port/host.js';
import { isObject } from '../../termination/json.js';

/** Hashes bytes in one call; each character of the result is a byte. As a text, because a buffer takes three times as long to make. */
export type NativeHash = (algorithm: 'sha256', data: Uint8Array, encoding: 'latin1') => string;

/** The hash of the platform, where it has a synchronous one: Node and what is compatible with it. */
export const nativeHash: NativeHash | undefined = findNativeHash();

function findNativeHash(): NativeHash | undefined {
  const crypto = host.process?.getBuiltinModule?.('node:crypto');
  return isObject(crypto) && typeof crypto['hash'] === 'function' ? (crypto['hash'] as NativeHash) : undefined;
}
