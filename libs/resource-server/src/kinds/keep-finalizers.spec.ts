import { CLUSTER, type KubeObject } from '@crate/api';
import type { Caller } from '@crate/resource-client';
import { describe, expect, it } from '@jest/globals';
import { keepFinalizers } from './keep-finalizers.js';

const OWN = 'lifecycle.crate.dev/clusters';
const FOREIGN = 'example.com/hold';
const SERVICE: Caller = { user: 'system:lifecycle', groups: [], service: 'lifecycle' };
const PERSON: Caller = { user: 'ada', groups: ['platform-admin'] };

const hook = keepFinalizers('lifecycle', [OWN]);

function holding(finalizers?: string[]): KubeObject {
  const metadata = { name: 'demo', uid: 'u', resourceVersion: '1', generation: 1, creationTimestamp: '' };
  const kind = { apiVersion: `${CLUSTER.group}/${CLUSTER.version}`, kind: CLUSTER.kind };
  return { ...kind, metadata: { ...metadata, ...(finalizers ? { finalizers } : {}) } };
}

async function after(before: string[], stated: string[] | undefined, caller: Caller): Promise<string[] | undefined> {
  const object = holding(stated);
  const context = { caller, traceId: 't' };
  const result = await hook({ operation: 'UPDATE', object, oldObject: holding(before), context, dryRun: false });
  return (result?.object ?? object).metadata.finalizers;
}

describe('finalizers of a service', () => {
  it.each([
    { name: 'a person', caller: PERSON },
    { name: 'another service', caller: { user: 'system:cloud-mgmt', groups: [], service: 'cloud-mgmt' } },
    { name: 'a person whom the service asks for', caller: { ...PERSON, service: 'lifecycle' } },
    { name: 'somebody who calls themselves as the service', caller: { user: 'system:lifecycle', groups: [] } },
  ])('stay, whatever $name states', async ({ caller }) => {
    expect(await after([OWN], undefined, caller)).toEqual([OWN]);
    expect(await after([OWN], [], caller)).toEqual([OWN]);
    expect(await after([OWN, FOREIGN], [FOREIGN], caller)).toEqual([OWN, FOREIGN]);
    expect(await after([OWN], [FOREIGN], caller)).toEqual([OWN, FOREIGN]);
  });

  it('are found among very many others', async () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `example.com/hold-${index}`);
    const begun = process.cpuUsage();
    expect(await after([OWN, ...many], many, PERSON)).toEqual([OWN, ...many]);
    const { user, system } = process.cpuUsage(begun);
    // Each compared with each would be ten thousand million. Of a processor, whatever else it has to do.
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });

  it('are taken off by the service itself', async () => {
    expect(await after([OWN, FOREIGN], [FOREIGN], SERVICE)).toEqual([FOREIGN]);
  });

  it('are not put where they were not', async () => {
    expect(await after([FOREIGN], [], PERSON)).toEqual([]);
    expect(await after([], undefined, PERSON)).toBeUndefined();
  });

  it('keep nobody from taking off those of others', async () => {
    expect(await after([FOREIGN, OWN], [OWN], PERSON)).toEqual([OWN]);
  });
});
