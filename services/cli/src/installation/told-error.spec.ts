import { describe, expect, it } from '@jest/globals';
import { PlatformError } from '@crate/errors';
import { toldError } from './told-error.js';

describe('toldError', () => {
  it('says what to do, too', () => {
    const details = { remedy: 'Set PGPASSWORD' };
    const error = new PlatformError('Unauthenticated', 'The database does not take the password', { details });
    expect(toldError(error)).toBe('The database does not take the password\nSet PGPASSWORD');
  });

  it.each([
    { kind: 'any other error', error: new Error('It broke') },
    { kind: 'what is none', error: 'It broke' },
  ])('says of $kind what it says itself', ({ error }) => {
    expect(toldError(error)).toBe('It broke');
  });
});
