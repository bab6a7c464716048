import { describe, expect, it } from '@jest/globals';
import { isReadableByOthers } from './file-mode.js';

const ROOT = 0;
const SERVICE = 65532;

describe('isReadableByOthers', () => {
  it.each([
    { reason: 'its owner alone reads it', mode: 0o100600, uid: SERVICE, want: false },
    { reason: 'a group reads what the service itself owns', mode: 0o100640, uid: SERVICE, want: true },
    { reason: 'a Secret volume lends it to the group of the pod', mode: 0o100440, uid: ROOT, want: false },
    { reason: 'the group may change it', mode: 0o100460, uid: ROOT, want: true },
    { reason: 'everybody reads it', mode: 0o100444, uid: ROOT, want: true },
  ])('is $want: $reason', ({ mode, uid, want }) => {
    expect(isReadableByOthers({ mode, uid }, SERVICE)).toBe(want);
  });

  it('lends nothing to root, who needs no group', () => {
    expect(isReadableByOthers({ mode: 0o100640, uid: ROOT }, ROOT)).toBe(true);
  });
});
