import { describe, expect, it } from '@jest/globals';
import type { Endpoints, Service } from '../kinds/service.js';
import { hostsText, recordsOf } from './service-names.js';

const metadata = { name: 'db', namespace: 'shop' };
const service = (spec: object): Service => ({ metadata, spec: { type: 'ClusterIP', ...spec } }) as Service;
const endpoints = {
  subsets: [{ addresses: [{ ip: '127.251.0.1', hostname: 'db-0' }, { ip: '127.251.0.2' }], ports: [] }],
} as unknown as Endpoints;
const record = (name: string, address: string): object => ({ namespace: 'shop', name, address });

describe('recordsOf', () => {
  it.each([
    {
      ...{ name: 'a Service with an address', given: service({ clusterIP: '10.43.0.7' }), address: '127.250.0.1' },
      ...{ want: [record('db', '127.250.0.1')], reason: 'its pods come and go behind that' },
    },
    {
      ...{ name: 'a headless one', given: service({ clusterIP: 'None' }), address: undefined },
      want: [record('db', '127.251.0.1'), record('db-0.db', '127.251.0.1'), record('db', '127.251.0.2')],
      reason: 'its name is all of its pods, and pods of a set have their own',
    },
    {
      ...{ name: 'a name elsewhere', given: service({ type: 'ExternalName' }), address: undefined, want: [] },
      reason: 'a file of hosts has no aliases',
    },
  ])('of $name', ({ given, address, want, reason }) => {
    expect({ reason, records: recordsOf(given, endpoints, address) }).toEqual({ reason, records: want });
  });
});

describe('hostsText', () => {
  const records = [
    { namespace: 'shop', name: 'db-0.db', address: '127.251.0.1' },
    { namespace: 'bank', name: 'db', address: '127.250.0.2' },
  ];

  it('has every form of a name, and the short one where a pod has it', () => {
    expect(hostsText('shop', records, 'cluster.local')).toBe(
      '127.250.0.2 db.bank.svc.cluster.local db.bank.svc db.bank\n' +
        '127.251.0.1 db-0.db.shop.svc.cluster.local db-0.db.shop.svc db-0.db.shop db-0.db\n',
    );
  });
});
