import { describe, expect, it } from '@jest/globals';
import { userInfoOf } from './user-info.js';

const ADA = { username: 'ada', groups: ['sre'] };

describe('whom rules see', () => {
  it.each([
    { name: 'a person', caller: { user: 'ada', groups: ['sre'] }, seen: { userInfo: ADA } },
    { name: 'one a service asks for', caller: { user: 'ada', groups: ['sre'], service: 's' }, seen: { userInfo: ADA } },
    { name: 'nobody behind a service itself', caller: { user: 'system:s', groups: [], service: 's' }, seen: {} },
    { name: 'nobody when nobody asks', caller: undefined, seen: {} },
  ])('is $name', ({ caller, seen }) => {
    expect(userInfoOf(caller)).toEqual(seen);
  });
});
