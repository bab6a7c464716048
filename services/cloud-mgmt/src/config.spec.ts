import { describe, expect, it } from '@jest/globals';
import { cloudMgmtConfig } from './config.js';

const MONTH_MS = 30 * 86_400_000;

describe('the configuration of cloud-mgmt', () => {
  it('takes periods longer than a timer waits: the queue of work keeps them', () => {
    const { sweep, deletion } = cloudMgmtConfig.shape;
    expect(sweep.parse({ everyMs: MONTH_MS }).everyMs).toBe(MONTH_MS);
    expect(deletion.parse({ watchEveryMs: MONTH_MS }).watchEveryMs).toBe(MONTH_MS);
  });
});
