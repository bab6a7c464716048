import { describe, expect, it } from '@jest/globals';
import {
  alreadyExists,
  badRequest,
  conflict,
  errorCode,
  forbidden,
  fromStatus,
  hasCode,
  invalidSpec,
  invariant,
  isFenced,
  isPlatformError,
  notFound,
  PlatformError,
  timeout,
  toPlatformError,
  toStatus,
  unauthenticated,
  unavailable,
} from './index.js';

describe('the makers of errors', () => {
  it.each([
    { error: notFound('clusters', 'demo', 'lifecycle.crate.dev'), code: 'NotFound', retry: 'backoff' },
    { error: alreadyExists('clusters', 'demo'), code: 'AlreadyExists', retry: 'now' },
    { error: conflict('Stale'), code: 'Conflict', retry: 'now' },
    { error: invalidSpec('Bad', []), code: 'InvalidSpec', retry: 'never' },
    { error: badRequest('Bad'), code: 'BadRequest', retry: 'never' },
    { error: forbidden('No'), code: 'Forbidden', retry: 'slow' },
    { error: unauthenticated(), code: 'Unauthenticated', retry: 'slow' },
    { error: unavailable('Away'), code: 'Unavailable', retry: 'backoff' },
    { error: timeout('Late'), code: 'Timeout', retry: 'backoff' },
    { error: invariant('Bug'), code: 'Invariant', retry: 'never' },
  ])('give $code, retried $retry', ({ error, code, retry }) => {
    expect([error.code, error.retry, error.name]).toEqual([code, retry, 'PlatformError']);
    expect(isPlatformError(error)).toBe(true);
  });

  it('name the record with its group', () => {
    expect(notFound('clusters', 'demo', 'lifecycle.crate.dev').message).toBe(
      'clusters.lifecycle.crate.dev "demo" not found',
    );
    expect(alreadyExists('pods', 'a').message).toBe('pods "a" already exists');
  });

  it('keep the cause, and take another retry policy when told', () => {
    const cause = new Error('ECONNREFUSED');
    expect(unavailable('Away', cause).cause).toBe(cause);
    expect(new PlatformError('Forbidden', 'Denied', { retry: 'never' }).retry).toBe('never');
    expect('cause' in conflict('Stale')).toBe(false);
  });

  it('are tried again where a field is not known, since a newer release may be about to answer', () => {
    const causes = [{ reason: 'UnknownField', message: 'unknown field', field: 'spec.budget' }];
    expect(badRequest('Strict decoding error', { causes }).retry).toBe('backoff');
    expect(fromStatus(toStatus(badRequest('Strict decoding error', { causes }))).retry).toBe('backoff');
  });
});

describe('telling errors apart', () => {
  it('goes by the shape, so that errors of another copy of this library count', () => {
    const foreign = Object.assign(new Error('Away'), { code: 'Unavailable', retry: 'backoff', details: {} });
    expect(isPlatformError(foreign)).toBe(true);
    expect(hasCode(foreign, 'Timeout', 'Unavailable')).toBe(true);
    expect(hasCode(foreign, 'Timeout')).toBe(false);
  });

  it.each([
    new Error('x'),
    Object.assign(new Error('x'), { code: 'ENOENT' }),
    'text',
    undefined,
    null,
    { code: 'NotFound' },
  ])('does not take %p for one of ours', (value) => {
    expect(isPlatformError(value)).toBe(false);
    expect(errorCode(value)).toBe('Unavailable');
    expect(hasCode(value, 'Unavailable')).toBe(false);
  });

  it('knows who was overtaken from who lost a race to be run again', () => {
    expect(isFenced(conflict('A newer holder has written this secret'))).toBe(true);
    expect(isFenced(new PlatformError('Conflict', 'A deadlock', { cause: new Error('40P01') }))).toBe(false);
    expect(isFenced(unavailable('Away'))).toBe(false);
  });

  it.each([
    { code: 'ENOSPC', syscall: 'write', reason: 'DiskFull' },
    { code: 'EDQUOT', syscall: 'open', reason: 'DiskFull' },
    { code: 'EACCES', syscall: 'mkdir', reason: 'DirectoryNotWritable' },
    { code: 'EROFS', syscall: 'open', reason: 'DirectoryNotWritable' },
    { code: 'EPERM', syscall: 'unlink', reason: 'DirectoryNotWritable' },
    { code: 'EACCES', syscall: 'open', reason: 'FileForbidden' },
    { code: 'EACCES', syscall: 'scandir', reason: 'FileForbidden' },
    { code: 'EPERM', syscall: 'spawn', reason: 'FileForbidden' },
    { code: 'EMFILE', syscall: 'open', reason: 'TooManyOpenFiles' },
    { code: 'EMFILE', syscall: 'connect', reason: 'TooManyOpenFiles' },
    { code: 'ENFILE', syscall: 'mkdtemp', reason: 'TooManyOpenFiles' },
    { code: 'EACCES', syscall: 'connect', reason: undefined },
    { code: 'ENOENT', syscall: 'open', reason: undefined },
  ])('names what the host refused: $code of $syscall', ({ code, syscall, reason }) => {
    const thrown = Object.assign(new Error(`${code}: no, ${syscall} '/var/lib/x'`), { code, syscall });
    const { details, message, cause } = toPlatformError(thrown);
    expect(details.reason).toBe(reason);
    expect(cause).toBe(thrown);
    if (reason !== undefined) expect(message + details.remedy).not.toContain('/var/lib');
  });

  it('wraps what is not ours and passes on what is', () => {
    const ours = notFound('clusters', 'demo');
    expect(toPlatformError(ours)).toBe(ours);
    const thrown = new TypeError('boom');
    expect(toPlatformError(thrown)).toMatchObject({ code: 'Unavailable', message: 'boom', cause: thrown });
    expect(toPlatformError('text')).toMatchObject({ code: 'Unavailable', message: 'text' });
  });
});
