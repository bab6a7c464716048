import { describe, expect, it } from '@jest/globals';
import {
  conflict,
  forbidden,
  fromStatus,
  invalidSpec,
  notFound,
  PlatformError,
  toStatus,
  unavailable,
  type ErrorCode,
} from '@crate/errors';
import { EXIT_CODE_MEANINGS, EXIT_CODES, exitCodeOf } from './exit-codes.js';
import { errorLines } from './output/error-text.js';

describe('exit codes', () => {
  it.each<[ErrorCode, number]>([
    ['Invariant', 1],
    ['BadRequest', 2],
    ['NotFound', 3],
    ['Conflict', 4],
    ['AlreadyExists', 4],
    ['InvalidSpec', 4],
    ['Forbidden', 5],
    ['Unauthenticated', 5],
    ['Timeout', 6],
    ['Unavailable', 7],
    ['TooManyRequests', 7],
  ])('tell %s by %i', (code, want) => {
    expect(exitCodeOf(new PlatformError(code, 'x'))).toBe(want);
  });

  it.each([
    'ImpactAboveCeiling',
    'QuotaExceeded',
    'NoSuchDrift',
    'FieldValueInvalid',
    'FieldValueNotSupported',
    'FieldValueRequired',
  ])('tell a rule that a document breaks by %s from rights that lack', (reason) => {
    const causes = [{ reason: 'FieldValueForbidden', message: 'x', field: 'spec.region' }];
    expect(exitCodeOf(forbidden('no', { causes }))).toBe(EXIT_CODES.notAllowed);
    expect(exitCodeOf(forbidden('no', { causes: [...causes, { reason, message: 'x' }] }))).toBe(EXIT_CODES.refused);
  });

  it('tell a policy that denies from rights that lack', () => {
    const causes = [{ reason: 'PolicyViolation', message: 'x', field: 'spec.region' }];
    expect(exitCodeOf(forbidden('denied by policy', { causes }))).toBe(EXIT_CODES.refused);
    expect(exitCodeOf(forbidden('denied by policy', { reason: 'PolicyDenied' }))).toBe(EXIT_CODES.refused);
  });

  it.each(['QuotaExceeded', 'InClusterOnly', 'NamespaceTerminating', 'DeletionProtected'])(
    'tell %s, which stands as things are, from rights that lack, as it comes over the API',
    (reason) => {
      const error = forbidden('no', { reason, remedy: 'Ask for less' });
      expect(exitCodeOf(error)).toBe(EXIT_CODES.refused);
      expect(exitCodeOf(fromStatus(toStatus(error)))).toBe(EXIT_CODES.refused);
    },
  );

  it.each(['SecondPersonNeeded', 'PersonNeeded', 'PlatformAdminNeeded'])('tell %s as rights that lack', (reason) => {
    expect(exitCodeOf(forbidden('no', { reason }))).toBe(EXIT_CODES.notAllowed);
  });

  it('are each explained, and each another number', () => {
    expect(Object.keys(EXIT_CODE_MEANINGS)).toEqual(Object.keys(EXIT_CODES));
    expect(new Set(Object.values(EXIT_CODES)).size).toBe(Object.keys(EXIT_CODES).length);
  });
});

describe('an error as it is told', () => {
  it('says why something cannot be reached', () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(errorLines(unavailable('Cannot reach https://crate', cause))).toEqual([
      'Cannot reach https://crate: nothing listens there',
    ]);
  });

  it('is one line, and what to do', () => {
    expect(errorLines(notFound('clusters', 'demo'))).toEqual(['clusters "demo" not found']);
    expect(errorLines(conflict('Stale', { remedy: 'Read it again' }))).toEqual(['Stale', 'Read it again']);
  });

  it('has each cause with its field on a line, and none of them twice', () => {
    const causes = [
      { reason: 'FieldValueRequired', field: 'spec.region', message: 'Required value' },
      { reason: 'FieldValueInvalid', field: 'spec.network.vpcCidr', message: 'must be a block' },
    ];
    const error = invalidSpec(
      'Cluster "demo" is invalid: [spec.region: Required value, spec.network.vpcCidr: must be a block]',
      causes,
    );
    expect(errorLines(error)).toEqual([
      'Cluster "demo" is invalid:',
      '  spec.region: Required value',
      '  spec.network.vpcCidr: must be a block',
    ]);
  });

  it('has no line that a text of others makes up', () => {
    const causes = [
      { reason: 'FieldValueInvalid', field: 'spec.region', message: 'no\n  spec.replicas: fine' },
      { reason: 'FieldValueInvalid', field: 'spec.version', message: 'no' },
    ];
    const error = invalidSpec('Cluster "demo" is invalid', causes);
    expect(errorLines(error).slice(1)).toEqual(['  spec.region: no spec.replicas: fine', '  spec.version: no']);
    const one = forbidden('It is forbidden: spec.region: no\n  spec.replicas: fine', { causes: causes.slice(0, 1) });
    expect(errorLines(one)).toEqual(['It is forbidden: spec.region: no spec.replicas: fine']);
  });

  it('says what to do once', () => {
    const causes = [
      { reason: 'FieldValueForbidden', field: 'spec.region', message: 'no' },
      { reason: 'ImpactAboveCeiling', message: 'Raise it' },
    ];
    expect(errorLines(forbidden('It is forbidden: spec.region: no. Raise it', { causes }))).toEqual([
      'It is forbidden: spec.region: no. Raise it',
    ]);
  });

  it('says a remedy that came as a cause over the API', () => {
    const causes = [{ reason: 'QuotaExceeded', message: 'Ask for more' }];
    expect(errorLines(conflict('Too many', { causes }))).toEqual(['Too many', 'Ask for more']);
  });
});
