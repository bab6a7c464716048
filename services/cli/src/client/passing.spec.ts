import { describe, expect, it } from '@jest/globals';
import { forbidden, notFound, PlatformError, unavailable } from '@crate/errors';
import { overOutages } from './passing.js';

describe('overOutages', () => {
  it.each([
    { reason: 'the platform is away', error: unavailable('away') },
    { reason: 'the owner of the kind is away', error: new PlatformError('NotFound', 'could not find the resource') },
  ])('asks again where $reason', async ({ error }) => {
    expect(await overOutages(() => Promise.reject(error))()).toBe(false);
  });

  it.each([
    { reason: 'the object is not there', error: notFound('Plan', 'demo') },
    { reason: 'it is refused', error: forbidden('no') },
  ])('gives up where $reason', async ({ error }) => {
    await expect(overOutages(() => Promise.reject(error))()).rejects.toBe(error);
  });
});
