import { describe } from '@jest/globals';
import { aCloudObject } from '../testing/a-world.js';
import { finds } from '../testing/finds.js';

describe('how it ends', () => {
  finds('finalizers went after the inventory was empty', [
    {
      reason: 'a record that was gone before its machines',
      planted: { earlyEnds: [{ uid: 'Infrastructure-0', left: [aCloudObject()] }] },
      message: /Infrastructure-0 was gone while there were aws_instance i-1/,
    },
  ]);

  finds('convergence in time', [
    {
      reason: 'a platform that took too long',
      planted: { convergedAfterMs: 60_001 },
      message: /60001 ms/,
    },
    {
      reason: 'a platform that never became what was asked',
      planted: { convergedAfterMs: undefined, unsettled: ['Cluster team-a/demo: Ready is False, NotReady: waits'] },
      message: /^Not after healing; .*; not as asked: Cluster team-a\/demo: Ready is False, NotReady: waits$/,
    },
  ]);

  finds('no secret where it may not be', [
    {
      reason: 'a secret in a log',
      planted: { leaks: ['ssh-private-key in the log cluster-mgmt.log'] },
      message: /ssh-private-key/,
    },
  ]);
});
