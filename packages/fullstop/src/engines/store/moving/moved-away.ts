import type { StoreFailure } from '../store-failure.js';

/** The word by which a store says that it was moved: the text of an error, or its code. */
export const isMovedAway = 'fullstop_moved';

/** Tells whoever wants to change a store that was moved where its runs are by now. */
export function movedAway(target: string): StoreFailure {
  return {
    code: 'STORE_MOVED',
    message: `The runs of this store were moved to ${target}; nothing was changed. Use that store: FULLSTOP_STORE, --store, or \`store\` in the configuration. To use this one again, fullstop migrate --reopen.`,
  };
}
