import { expect, it } from '@jest/globals';
import { fromPostgresError } from './postgres-errors.js';

it.each([
  { state: '53100', code: 'Unavailable', message: 'The disk of the database is full' },
  { state: '53300', code: 'Unavailable', message: 'The database takes no more connections' },
  { state: '57P03', code: 'Unavailable', message: 'The database does not answer' },
  { state: '28P01', code: 'Invariant', message: 'The database refused a statement with SQLSTATE 28P01' },
])('tells SQLSTATE $state by its cause, and quotes nothing', ({ state, code, message }) => {
  const error = Object.assign(new Error('with a value'), { code: state, severity: 'FATAL' });
  expect(fromPostgresError(error)).toMatchObject({ code, message });
});
