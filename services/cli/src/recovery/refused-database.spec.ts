import { describe, expect, it } from '@jest/globals';
import { fromPostgresError } from '@crate/database';
import { tellOfRefusal } from './refused-database.js';

const refusal = (code: string): Error => Object.assign(new Error(`refused by ${code}`), { code, severity: 'FATAL' });
const NO_PASSWORD = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
const DOWN = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

describe('tellOfRefusal', () => {
  it.each([
    { error: refusal('28P01'), code: 'Unauthenticated', remedy: /PGPASSWORD/ },
    { error: NO_PASSWORD, code: 'Unauthenticated', remedy: /PGPASSWORD/ },
    { error: refusal('42501'), code: 'Forbidden', remedy: /owner/ },
    { error: refusal('42P01'), code: 'NotFound', remedy: /Name the database/ },
    { error: refusal('3D000'), code: 'NotFound', remedy: /Name the database/ },
  ])('says what to do about "$error.message"', ({ error, code, remedy }) => {
    const details = { remedy: expect.stringMatching(remedy) };
    expect(() => tellOfRefusal(fromPostgresError(error), 'The database at --from')).toThrow(
      expect.objectContaining({ code, details, message: expect.stringMatching(/^The database at --from (does|has)/) }),
    );
  });

  it('leaves other failures as they are', () => {
    const error = fromPostgresError(DOWN);
    expect(() => tellOfRefusal(error, 'It')).toThrow(error);
  });
});
