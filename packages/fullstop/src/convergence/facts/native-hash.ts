import { host } from '../../engines/port/host.js';
import { isObject } from '../../termination/json.js';

type NativeHash = (algorithm: 'sha256', data: Uint8Array, encoding: 'latin1') => string;

/** Hashes that Node makes in one call, where there is Node. Asked for as a text: a buffer takes three times as long to make. */
export const nativeHash: NativeHash | undefined = findNativeHash();

function findNativeHash(): NativeHash | undefined {
  const crypto = host.process?.getBuiltinModule?.('node:crypto');
  return isObject(crypto) && typeof crypto['hash'] === 'function' ? (crypto['hash'] as NativeHash) : undefined;
}
