import { PlatformError, timeout, unavailable } from '@crate/errors';
import { describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { runTransaction } from './transaction.js';

const readOnly = Object.assign(new Error('read-only'), { code: '25006', severity: 'ERROR' });
const staleStatement = Object.assign(new Error('cached plan'), { code: '0A000', severity: 'ERROR' });

describe('a transaction whose work fails', () => {
  it.each([
    {
      name: 'on the work itself',
      error: new PlatformError('Unavailable', 'No key', { details: { reason: 'EncryptionKeyMissing' } }),
      ends: ['ROLLBACK', 'kept'],
    },
    { name: 'on a statement', error: timeout('The database took too long'), ends: ['ROLLBACK', 'kept'] },
    { name: 'on a server that does not answer', error: unavailable('No answer', new Error()), ends: ['dropped'] },
    {
      name: 'on a server that takes no writes',
      error: new PlatformError('Unavailable', 'The database takes no writes now', { cause: readOnly }),
      ends: ['ROLLBACK', 'dropped'],
    },
    {
      name: 'on a statement that was prepared for a table of another shape',
      error: new PlatformError('Invariant', 'The database refused a statement', { cause: staleStatement }),
      ends: ['ROLLBACK', 'dropped'],
    },
  ])('ends its connection as it should: $name', async ({ error, ends }) => {
    const seen: string[] = [];
    const client = {
      query: (text: string) => Promise.resolve(seen.push(text)),
      release: (isDropped?: boolean) => seen.push(isDropped ? 'dropped' : 'kept'),
    } as unknown as PoolClient;

    await expect(runTransaction(client, () => Promise.reject(error), {})).rejects.toBe(error);
    expect(seen.slice(1)).toEqual(ends);
  });
});
