import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { parse } from 'yaml';
import { callerOfClaims } from './caller-of-claims.js';
import { issuersSchema, type OidcIssuerOptions } from './issuer-options.js';

const PAGE = new URL('../../../../../docs/gitops.md', import.meta.url);
const [, listed = ''] = /```yaml\n(issuers:\n[^]+?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
const { issuers } = issuersSchema.parse(parse(listed));

function groupsFor(name: string, claims: JWTPayload): readonly string[] {
  const own = issuers.find((issuer) => issuer.name === name) as OidcIssuerOptions;
  const others = issuers.filter((issuer) => issuer !== own).map(({ groups }) => groups.prefix);
  return callerOfClaims(claims, { ...own, foreignPrefixes: others }).groups;
}

/** Claims as in https://docs.github.com/en/actions/reference/security/oidc */
const ofGitHub = (sub: string, more: JWTPayload = {}): JWTPayload => ({
  ...{ sub, repository: 'acme/platform', repository_owner: 'acme', ref: 'refs/heads/main' },
  ...more,
});

/** Claims as a Kubernetes cluster makes them for a ServiceAccount. */
const ofServiceAccount = (namespace: string, name: string): JWTPayload => ({
  sub: `system:serviceaccount:${namespace}:${name}`,
  'kubernetes.io': { namespace, serviceaccount: { name, uid: 'u' } },
});

describe('machines that docs/gitops.md makes administrators of the platform', () => {
  it('are the workloads that it names', () => {
    const deployed = ofGitHub('repo:acme/platform:environment:production');
    expect(groupsFor('github', deployed)).toEqual([
      'github:repo:acme/platform:environment:production',
      'platform-admin',
      'system:authenticated',
    ]);
    expect(groupsFor('hub', ofServiceAccount('flux-system', 'kustomize-controller'))).toContain('platform-admin');
  });

  it.each([
    { name: 'a branch of the same repository', of: 'github', claims: ofGitHub('repo:acme/platform:ref:refs/heads/x') },
    { name: 'a pull request', of: 'github', claims: ofGitHub('repo:acme/platform:pull_request') },
    { name: 'another ServiceAccount', of: 'hub', claims: ofServiceAccount('team-a', 'kustomize-controller') },
  ])('are not $name', ({ of, claims }) => {
    expect(groupsFor(of, claims)).not.toContain('platform-admin');
  });

  it('are of no other owner', () => {
    const foreign = ofGitHub('repo:acme/platform:environment:production', { repository_owner: 'mallory' });
    expect(() => groupsFor('github', foreign)).toThrow('repository_owner');
  });
});
