import { describe, expect, it } from '@jest/globals';
import { SERVICE_ORDER } from '../up/service-order.js';
import { begunText } from './begin-recovery.js';

describe('begunText', () => {
  it('names every service', () => {
    expect(begunText(SERVICE_ORDER)).toBe('Begun for policy-mgmt, cloud-mgmt, cluster-mgmt, lifecycle');
  });

  it('names what was passed over: whether it is to be there, only people know', () => {
    expect(begunText(['policy-mgmt', 'cluster-mgmt', 'lifecycle'])).toBe(
      'Begun for policy-mgmt, cluster-mgmt, lifecycle; never ran on this database: cloud-mgmt',
    );
  });
});
