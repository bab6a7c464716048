import { describe, expect, it } from '@jest/globals';
import { leastRole, reaches, type Action, type LeastRole } from './permissions.js';

const CRATE = { lifecycle: 'lifecycle.crate.dev', cloud: 'cloud.crate.dev', policy: 'policy.crate.dev' };

function action(verb: string, resource: string, group: string, subresource?: string): Action {
  return { verb, resource, group, ...(subresource === undefined ? {} : { subresource }) };
}

describe('leastRole', () => {
  const rows: { reason: string; given: Action; want: LeastRole }[] = [
    { reason: 'a viewer reads', given: action('watch', 'clusters', CRATE.lifecycle), want: 'viewer' },
    { reason: 'changing clusters is work', given: action('patch', 'clusters', CRATE.lifecycle), want: 'operator' },
    {
      reason: 'a delete of all is a delete',
      given: action('deletecollection', 'cloudaccounts', CRATE.cloud),
      want: 'admin',
    },
    {
      reason: 'a kubeconfig is a secret',
      given: action('get', 'clusters', CRATE.lifecycle, 'kubeconfig'),
      want: 'operator',
    },
    { reason: 'a log is no secret', given: action('get', 'clusters', CRATE.lifecycle, 'logs'), want: 'viewer' },
    { reason: 'scaling is a change', given: action('patch', 'nodepools', CRATE.lifecycle, 'scale'), want: 'operator' },
    {
      reason: 'a status is what a service says',
      given: action('patch', 'clusters', CRATE.lifecycle, 'status'),
      want: 'nobody',
    },
    {
      reason: 'children are made by services',
      given: action('create', 'infrastructures', CRATE.cloud),
      want: 'nobody',
    },
    { reason: 'the catalogue is for all', given: action('list', 'addons', CRATE.lifecycle), want: 'everyone' },
    { reason: 'rules are the platform’s', given: action('delete', 'policies', CRATE.policy), want: 'platform-admin' },
    {
      reason: 'a report is what the platform found',
      given: action('create', 'policyreports', 'wgpolicyk8s.io'),
      want: 'nobody',
    },
    {
      reason: 'of those in no Project there are none to hide',
      given: action('watch', 'clusterpolicyreports', 'wgpolicyk8s.io'),
      want: 'everyone',
    },
    {
      reason: 'its exports say no more than it does',
      given: action('get', 'policyreports', 'wgpolicyk8s.io', 'export'),
      want: 'viewer',
    },
    {
      reason: 'what a rule leads to names clusters of all Projects',
      given: action('create', 'policyimpactreviews', CRATE.policy),
      want: 'platform-admin',
    },
    {
      reason: 'whoever works in a Project asks for waivers',
      given: action('create', 'policywaivers', CRATE.policy),
      want: 'operator',
    },
    {
      reason: 'approving a plan is work',
      given: action('create', 'plans', CRATE.lifecycle, 'approve'),
      want: 'operator',
    },
    {
      reason: 'approving a waiver takes who answers for the Project',
      given: action('create', 'policywaivers', CRATE.policy, 'approve'),
      want: 'admin',
    },
    {
      reason: 'taking one back only makes rules hold',
      given: action('create', 'policywaivers', CRATE.policy, 'revoke'),
      want: 'operator',
    },
    { reason: 'keys open doors', given: action('get', 'apikeys', CRATE.lifecycle), want: 'admin' },
    {
      reason: 'where news goes is decided by who answers for the Project',
      given: action('patch', 'notificationchannels', CRATE.lifecycle),
      want: 'admin',
    },
    {
      reason: 'what was delivered is no secret',
      given: action('get', 'notificationchannels', CRATE.lifecycle, 'deliveries'),
      want: 'viewer',
    },
    {
      reason: 'a test writes to others in the name of the Project',
      given: action('create', 'notificationchannels', CRATE.lifecycle, 'test'),
      want: 'admin',
    },
    {
      reason: 'what a rule makes of a document is a question, and writes nothing',
      given: action('create', 'policies', CRATE.policy, 'evaluate'),
      want: 'everyone',
    },
    {
      reason: 'no subresource shows more than its kind',
      given: action('get', 'apikeys', CRATE.lifecycle, 'logs'),
      want: 'admin',
    },
    {
      reason: 'issuing a token makes a way in',
      given: action('create', 'apikeys', CRATE.lifecycle, 'token'),
      want: 'admin',
    },
    {
      reason: 'who uses a class is of all Projects',
      given: action('get', 'clusterclasses', CRATE.lifecycle, 'clusters'),
      want: 'platform-admin',
    },
    {
      reason: 'the status of what is open to all',
      given: action('get', 'addons', CRATE.lifecycle, 'status'),
      want: 'everyone',
    },
    { reason: 'an unknown kind', given: action('get', 'secrets', ''), want: 'platform-admin' },
    {
      reason: 'an unknown subresource',
      given: action('get', 'clusters', CRATE.lifecycle, 'exec'),
      want: 'platform-admin',
    },
    { reason: 'an unknown verb', given: action('impersonate', 'clusters', CRATE.lifecycle), want: 'platform-admin' },
    {
      reason: 'a verb that objects have by nature',
      given: action('constructor', 'clusters', CRATE.lifecycle),
      want: 'platform-admin',
    },
    {
      reason: 'a kind of the same name in another group',
      given: action('get', 'clusters', 'other.dev'),
      want: 'platform-admin',
    },
  ];

  it.each(rows)('$reason: $want', ({ given, want }) => {
    expect(leastRole(given)).toBe(want);
  });
});

describe('reaches', () => {
  it('counts each role to include those before it', () => {
    expect(reaches('viewer', 'viewer')).toBe(true);
    expect(reaches('viewer', 'operator')).toBe(false);
    expect(reaches('admin', 'operator')).toBe(true);
    expect(reaches('admin', 'platform-admin')).toBe(false);
    expect(reaches('admin', 'nobody')).toBe(false);
    expect(reaches(undefined, 'viewer')).toBe(false);
    expect(reaches(undefined, 'everyone')).toBe(true);
  });
});
