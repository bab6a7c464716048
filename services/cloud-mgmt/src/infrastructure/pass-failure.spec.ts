import { TerraformError } from '@crate/terraform';
import { describe, expect, it } from '@jest/globals';
import { aSpec } from '../testing/a-spec.js';
import { passFailure } from './pass-failure.js';

const spec = { ...aSpec('demo'), region: 'af-south-1' };

function rejected(providerCode: string): TerraformError {
  const failure = { code: 'CredentialsRejected', message: `${providerCode}: no`, remedy: 'Set new keys' } as const;
  return new TerraformError({ ...failure, address: undefined, providerCode, retryable: true });
}

describe('passFailure', () => {
  it.each(['InvalidClientTokenId', 'AuthFailure', 'UnrecognizedClientException'])(
    'names the region to enable where it may be what knows no keys: %s',
    (code) => {
      expect(passFailure(rejected(code), spec)).toMatchObject({
        field: 'spec.accountRef.name',
        remedy: 'Set new keys; where the CloudAccount is Ready, enable the region af-south-1 in the account',
      });
    },
  );

  it('names no region where the keys themselves are told of', () => {
    expect(passFailure(rejected('ExpiredToken'), spec).remedy).toBe('Set new keys');
  });
});
