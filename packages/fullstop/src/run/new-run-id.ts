import { host } from '../engines/port/host.js';

export function newRunId(): string {
  return `r_${host.crypto.randomUUID()}`;
}
