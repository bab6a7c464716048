import { expect, it } from '@jest/globals';
import { newKeysIn } from './new-keys.js';

it('new keys are those that the command line says it has made', () => {
  const said = 'lifecycle: new key 20261127T1-ab\ncloud-mgmt: new key 20261127T2-cd\n3 records to move\n';
  expect(newKeysIn(said)).toEqual([
    { service: 'lifecycle', keyId: '20261127T1-ab' },
    { service: 'cloud-mgmt', keyId: '20261127T2-cd' },
  ]);
});
