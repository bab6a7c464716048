import { expect, it } from '@jest/globals';
import { fromPostgresError } from './postgres-errors.js';

it.each([
  { state: '53100', code: 'Unavailable', message: 'The disk of the database is full' },
  { state: '53300', code: 'Unavailable', message: 'The database takes no more connections' },
  { state: '57P03', code: 'Unavailable', message: 'The database does not answer' },
  { state: '42P01', code: 'Invariant', message: 'The database refused a statement with SQLSTATE 42P01' },
])('tells SQLSTATE $state by its cause, and quotes nothing', ({ state, code, message }) => {
  const error = Object.assign(new Error('with a value'), { code: state, severity: 'FATAL' });
  expect(fromPostgresError(error)).toMatchObject({ code, message });
});

it.each(['28P01', '28000', '3D000', '42501'])('tells of a user who is refused, for now: %s', (state) => {
  const error = Object.assign(new Error('for user "x"'), { code: state, severity: 'FATAL' });
  expect(fromPostgresError(error)).toMatchObject({
    ...{ code: 'Unavailable', retry: 'backoff', message: `The database refuses the service with SQLSTATE ${state}` },
    details: { reason: 'DatabaseRefuses', remedy: expect.stringContaining('password') },
  });
});
