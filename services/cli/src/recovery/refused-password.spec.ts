import { describe, expect, it } from '@jest/globals';
import { fromPostgresError } from '@crate/database';
import { tellOfPassword } from './refused-password.js';

const WRONG = Object.assign(new Error('password authentication failed'), { code: '28P01', severity: 'FATAL' });
const NONE = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
const DOWN = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('tellOfPassword', () => {
  it.each([WRONG, NONE])('says what to do about "$message"', (error) => {
    expect(() => tellOfPassword(fromPostgresError(error))).toThrow(
      expect.objectContaining({ code: 'Unauthenticated', message: expect.stringContaining('--from') }),
    );
  });

  it('leaves other failures as they are', () => {
    const error = fromPostgresError(DOWN);
    expect(() => tellOfPassword(error)).toThrow(error);
  });
});
