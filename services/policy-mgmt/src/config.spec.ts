import { describe, expect, it } from '@jest/globals';
import { policyMgmtConfig } from './config.js';

const MONTH_MS = 30 * 86_400_000;

describe('the configuration of policy-mgmt', () => {
  it('takes a period longer than a timer waits: the queue of work keeps it', () => {
    expect(policyMgmtConfig.shape.reports.parse({ everyMs: MONTH_MS }).everyMs).toBe(MONTH_MS);
  });
});
