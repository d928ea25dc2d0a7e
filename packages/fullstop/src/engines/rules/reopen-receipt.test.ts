import { describe, expect, it } from 'vitest';
import { refuseReopening } from './reopen-receipt.js';

describe('refuseReopening', () => {
  it('opens a segment after the open ending that the caller saw', () => {
    expect(refuseReopening({ after: 2, segment: 2, ending: { open: true } })).toBeUndefined();
  });

  it('lets one of two callers win, and names the first', () => {
    const conflict = { status: 'conflict', segment: 3 };
    expect(refuseReopening({ after: 2, segment: 3, openedBy: 'maria', ending: undefined })).toEqual({
      ...conflict,
      by: 'maria',
    });
    expect(refuseReopening({ after: 2, segment: 3, ending: { open: true } })).toEqual(conflict);
    expect(refuseReopening({ after: 3, segment: 3, ending: undefined })).toEqual(conflict);
  });

  it('lets nothing follow a closed ending', () => {
    expect(refuseReopening({ after: 2, segment: 2, ending: { open: false } })).toEqual({ status: 'closed' });
  });
});
