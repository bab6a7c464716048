import { describe, expect, it } from '@jest/globals';
import { recordOf } from './audit-record.js';

describe('the record of a refusal', () => {
  it('has its message without what looks like a secret, also where the end of it is cut', () => {
    const key = `-----BEGIN PRIVATE KEY-----${'A'.repeat(500)}`;
    const message = `Invalid value: "https://u:hunter2@example.org/${'x'.repeat(150)} ${key}`;
    const type = { group: 'lifecycle.crate.dev', version: 'v1alpha1', plural: 'clusters' };
    const context = { caller: { user: 'ada', groups: [] }, traceId: 't' };
    const at = { service: 'lifecycle', now: new Date(0) };
    const { message: kept = '' } = recordOf({ verb: 'create', type }, context, { code: 422, message }, at);
    expect(kept).toMatch(/^Invalid value: "https:\/\/u:\[redacted\]@example.org\/x+ \[redacted\]$/i);
  });
});
