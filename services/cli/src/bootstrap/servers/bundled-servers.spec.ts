import { describe, expect, it } from '@jest/globals';
import type { BootstrapRequest } from '../request.js';
import { bundledServers } from './bundled-servers.js';
import { serverValues, volumeValues } from './server-values.js';

const DATABASE = { databaseUrlFile: '/db.url' };
const NATS = { natsUrl: 'tls://nats.example.com:4222', natsPasswordsFile: '/nats.env' };
const requestOf = (given: object): BootstrapRequest => given as BootstrapRequest;

describe('bundledServers', () => {
  it.each([
    { given: {}, want: { postgres: true, nats: true } },
    { given: DATABASE, want: { postgres: false, nats: true } },
    { given: NATS, want: { postgres: true, nats: false } },
    { given: { ...DATABASE, ...NATS }, want: { postgres: false, nats: false } },
  ])('brings $want where $given is given', ({ given, want }) => {
    expect(bundledServers(requestOf(given))).toEqual(want);
  });

  it.each([{ natsUrl: NATS.natsUrl }, { natsPasswordsFile: NATS.natsPasswordsFile }])(
    'refuses NATS by half: %o',
    (given) => {
      expect(() => bundledServers(requestOf(given))).toThrow(/^ServersMissing: /);
    },
  );
});

describe('serverValues', () => {
  it('has every service trust and find the servers that are in the cluster', () => {
    const trusting = { env: { NODE_EXTRA_CA_CERTS: '/run/crate/database-ca/ca.crt' } };
    expect(serverValues(requestOf({}))).toEqual({
      messaging: { url: 'tls://crate-nats.crate-system.svc:4222', tlsSecret: 'crate-servers-ca' },
      database: { caSecret: 'crate-servers-ca' },
      ...{ lifecycle: trusting, cloudMgmt: trusting, clusterMgmt: trusting, policyMgmt: trusting },
    });
  });

  it('has volumes of services of the class that is named, or of the one that the cluster has', () => {
    const named = { persistence: { storageClassName: 'fast' } };
    const want = { lifecycle: named, cloudMgmt: named, clusterMgmt: named, policyMgmt: named };
    expect(volumeValues(requestOf({ storageClass: 'fast' }))).toEqual(want);
    expect(volumeValues(requestOf({}))).toEqual({});
  });

  it("says nothing of certificates of somebody else's servers", () => {
    expect(serverValues(requestOf({ ...DATABASE, ...NATS }))).toEqual({ messaging: { url: NATS.natsUrl } });
  });
});
