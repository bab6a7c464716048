import { describe, expect, it } from '@jest/globals';
import * as api from '@crate/api';
import { formatApiVersion } from '../objects/api-version.js';
import * as known from './api-values.js';

describe('what the command line knows of the API by itself is what the API says:', () => {
  it.each([
    'FLEET_SORTS',
    'PLATFORM_STATUS_PATH',
    'FLEET_LIMIT',
    'KUBECONFIG_SECONDS',
    'NOTIFICATION_STATES',
    'POLICY_STAGES',
    'EXPORT_FORMATS',
  ] as const)('%s', (name) => {
    expect(known[name]).toEqual(api[name]);
  });

  it('the names of kinds that runs are made for', () => {
    const want = [api.CLUSTER, api.INFRASTRUCTURE, api.KUBERNETES_CLUSTER];
    expect(known.WORKED_KINDS).toEqual(
      want.map(({ group, version, kind, plural, singular, shortNames }) => ({
        ...{ group, version, kind, plural, singular, shortNames },
      })),
    );
  });
});

describe('formatApiVersion', () => {
  it.each([
    ['lifecycle.crate.dev', 'v1alpha1'],
    ['', 'v1'],
  ])('of group "%s"', (group, version) => {
    expect(formatApiVersion(group, version)).toBe(api.formatApiVersion(group, version));
  });
});
