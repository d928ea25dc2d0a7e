import { networkErrorCodes } from '../../engines/port/network-errors.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { Failed } from '../../termination/kinds/error.js';

const external = new Set([...networkErrorCodes, 'STEP_TIMEOUT']);
const resource = new Set(['EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'ERR_OUT_OF_RANGE', 'SQLITE_FULL']);
const configuration = new Set([
  'CONTEXT_INVALID',
  'CONTEXT_MISSING',
  'EACCES',
  'ENOENT',
  'EPERM',
  'ERR_MODULE_NOT_FOUND',
  'INVALID_LIMIT',
  'INVALID_OPTION',
  'INVALID_SCRIPT',
  'MODEL_KEY_MISSING',
  'MODEL_PACKAGE_MISSING',
  'SCRIPT_EXHAUSTED',
  'UNKNOWN_PRICE',
  'UNSUPPORTED_MODEL',
]);
const defects = new Set(['RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'FullstopError']);

/** Where the fault lies, as far as an error and its causes show. Only a fault that is known to be external is worth a retry. */
export function classifyError(error: ErrorData): Failed['errorClass'] {
  for (let current: ErrorData | undefined = error; current !== undefined; current = current.cause) {
    const code = current.code ?? '';
    if (external.has(code)) return 'external';
    if (resource.has(code)) return 'resource';
    if (configuration.has(code)) return 'configuration';
  }
  return defects.has(error.name) ? 'internal' : 'unknown';
}
