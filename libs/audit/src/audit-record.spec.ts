import { describe, expect, it } from '@jest/globals';
import { recordOf } from './audit-record.js';

describe('who is on record', () => {
  const itself = { user: 'system:lifecycle', groups: [], service: 'lifecycle' };

  it.each([
    { name: 'a person', caller: { user: 'ada', groups: [] }, want: { user: 'ada' } },
    { name: 'the service itself', caller: itself, want: { user: 'system:lifecycle' } },
    {
      name: 'whoever decided what the service does',
      caller: itself,
      decidedBy: 'ada',
      want: { user: 'ada', via: 'lifecycle' },
    },
    {
      name: 'another service',
      caller: { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' },
      want: { user: 'system:cloud-mgmt', via: 'cloud-mgmt' },
    },
    {
      name: 'the person another service passes on',
      caller: { user: 'ada', groups: [], service: 'console' },
      want: { user: 'ada', via: 'console' },
    },
  ])('is $name', ({ caller, decidedBy, want }) => {
    const type = { group: 'lifecycle.crate.dev', version: 'v1alpha1', plural: 'clusters' };
    const context = { caller, traceId: 't', ...(decidedBy === undefined ? {} : { decidedBy }) };
    const { user, via } = recordOf(
      { verb: 'delete', type },
      context,
      { code: 200 },
      { service: 'lifecycle', now: new Date(0) },
    );
    expect({ user, via }).toEqual({ via: undefined, ...want });
  });
});

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
