import * as fullstop from 'fullstop';
import * as dialects from 'fullstop/dialects';

export const names: readonly string[] = [...Object.keys(fullstop), ...Object.keys(dialects)];
