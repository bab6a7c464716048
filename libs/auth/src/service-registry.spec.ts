import { describe, expect, it } from '@jest/globals';
import { CALL_MATRIX, SERVICES } from './call-matrix.js';
import { ServiceRegistry } from './service-registry.js';

describe('ServiceRegistry', () => {
  it('grants scopes on exactly the edges of the call matrix', () => {
    const registry = new ServiceRegistry();
    for (const service of SERVICES)
      expect([...registry.calleesOf(service)].sort()).toEqual([...CALL_MATRIX[service]].sort());
  });

  it('does without a service of which a deployment has none', () => {
    const registry = new ServiceRegistry().without('cloud-mgmt');
    expect([...registry.calleesOf('lifecycle')].sort()).toEqual(['cluster-mgmt', 'policy-mgmt']);
    expect(registry.ownerOf('cloud.crate.dev')).toBeUndefined();
    expect(registry.scopes('lifecycle', 'cluster-mgmt')).toEqual(
      new ServiceRegistry().scopes('lifecycle', 'cluster-mgmt'),
    );
  });

  it('takes no inherited property for a caller', () => {
    expect(new ServiceRegistry().scopes('constructor', 'policy-mgmt')).toEqual([]);
    expect(new ServiceRegistry().scopes('lifecycle', 'toString')).toEqual([]);
  });

  it('knows the owner of each group, also of an added service', () => {
    const registry = new ServiceRegistry([{ name: 'billing', groups: ['billing.example.com'], callers: {} }]);
    expect(registry.ownerOf('cloud.crate.dev')).toBe('cloud-mgmt');
    expect(registry.ownerOf('billing.example.com')).toBe('billing');
    expect(registry.ownerOf('nobody.example.com')).toBeUndefined();
  });

  it.each([
    { name: 'a built-in name', given: { name: 'lifecycle', groups: [], callers: {} } },
    { name: 'a group of the world that has one', given: { name: 'billing', groups: ['wgpolicyk8s.io'], callers: {} } },
    { name: 'a group that has an owner', given: { name: 'billing', groups: ['cloud.crate.dev'], callers: {} } },
    { name: 'a name that is no subject token', given: { name: 'a.>', groups: [], callers: {} } },
  ])('refuses $name', ({ given }) => {
    expect(() => new ServiceRegistry([given])).toThrow(expect.objectContaining({ code: 'Invariant' }));
  });
});
