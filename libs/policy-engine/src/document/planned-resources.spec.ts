import { describe, expect, it } from '@jest/globals';
import { plannedResources } from './planned-resources.js';

function change(address: string, after: object = {}, unknown: object = {}): object {
  return {
    address,
    mode: 'managed',
    type: 't',
    name: 'n',
    change: { actions: ['create'], after, after_unknown: unknown },
  };
}

const stated = (plan: object): Record<string, readonly string[]> =>
  Object.fromEntries(plannedResources(plan).map((resource) => [resource.address, resource.stated]));

describe('plannedResources', () => {
  it('say which arguments the configuration states, for each instance and in modules', () => {
    const inner = { resources: [{ address: 't.n', expressions: { ingress: [{}], name: {} } }] };
    const configuration = {
      root_module: {
        resources: [{ address: 't.n', expressions: { name: { constant_value: 'x' } } }, { address: 't.bare' }],
        module_calls: { net: { module: { ...inner, module_calls: { deep: { module: inner } } } } },
      },
    };
    const addresses = ['t.n', 't.n[0]', 't.bare', 'module.net.t.n', 'module.net["a[1].b"].module.deep[2].t.n["x\\"]"]'];
    const resource_changes = addresses.map((address) => change(address, {}, { ingress: true }));
    expect(stated({ configuration, resource_changes })).toEqual({
      't.n': ['name'],
      't.n[0]': ['name'],
      't.bare': [],
      'module.net.t.n': ['ingress', 'name'],
      'module.net["a[1].b"].module.deep[2].t.n["x\\"]"]': ['ingress', 'name'],
    });
  });

  it('take all for stated that may be, where the plan does not say', () => {
    const resource_changes = [
      change('t.n', { name: 'x', none: null }, { ingress: true, arn: false, parts: [{ x: true }], tags: {} }),
    ];
    expect(stated({ resource_changes })).toEqual({ 't.n': ['name', 'ingress', 'parts'] });
    // Such as something that is adopted, and not in the configuration.
    const configuration = { root_module: {} };
    expect(stated({ resource_changes, configuration })).toEqual({ 't.n': ['name', 'ingress', 'parts'] });
  });
});
