import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { shiftClock } from '@crate/testing';
import type { EncryptionKeyRow } from './encryption-keys.js';
import { waitUntilMoved } from './wait-until-moved.js';

const NEWEST: EncryptionKeyRow = { service: 'cloud-mgmt', keyId: '3', state: 'newest', records: 5 };
const MISSING: EncryptionKeyRow = { service: 'cloud-mgmt', keyId: '1', state: 'missing', records: 7 };

function older(records: number): EncryptionKeyRow {
  return { service: 'cloud-mgmt', keyId: '2', state: 'older', records };
}

describe('waiting for records to move under new keys', () => {
  const out = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const err = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  afterEach(() => {
    jest.clearAllMocks();
  });

  /** Each look in turn, without any time between. */
  async function wait(...looks: readonly (readonly EncryptionKeyRow[])[]): Promise<void> {
    const left = [...looks];
    await waitUntilMoved(
      () => Promise.resolve(left.shift() ?? []),
      () => Promise.resolve(),
    );
    expect(left).toEqual([]);
  }

  it('ends once none is under an older key', async () => {
    await wait([NEWEST, older(4)], [NEWEST, older(4)], [NEWEST, older(1)], [NEWEST, older(0)]);
    expect(out.mock.calls).toEqual([
      ['4 records to move'],
      ['1 records to move'],
      ['All secrets are under the new keys'],
    ]);
    expect(err).not.toHaveBeenCalled();
  });

  it('does not wait for what stands under a lost key, and names that', async () => {
    await wait([NEWEST, older(4), MISSING], [NEWEST, older(0), MISSING]);
    expect(out.mock.calls).toEqual([['4 records to move'], ['All secrets that can be read are under the new keys']]);
    expect(err.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^7 records of cloud-mgmt stay under its key 1, whose file is missing; see .*RenewalFailing/,
        ),
      ],
    ]);
  });

  it('gives up on a record that does not move', async () => {
    let putRight = (): void => undefined;
    const pause = async (): Promise<void> => {
      putRight = shiftClock(31 * 60_000);
    };
    const waiting = waitUntilMoved(() => Promise.resolve([older(1)]), pause);
    await expect(waiting).rejects.toMatchObject({ code: 'Timeout', message: expect.stringMatching(/^1 records/) });
    putRight();
  });
});
