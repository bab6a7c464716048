import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { describeConfig } from '@crate/config';
import { deletionWarningAfterMs } from './deletion-config.js';

describe('when a deletion is worth a warning', () => {
  it('has one name in every service', () => {
    const schema = z.object({ deletion: z.object({ warningAfterMs: deletionWarningAfterMs }).prefault({}) });
    expect(describeConfig(schema)).toMatchObject([{ env: 'CRATE_DELETION_WARNING_AFTER_MS', default: '15m' }]);
  });
});
