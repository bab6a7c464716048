import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, issueClientCertificate } from '@crate/auth';
import { unavailable } from '@crate/errors';
import { startPostgres, type PostgresServer } from '@crate/testing';
import {
  ADA,
  API_KEYS,
  aProject,
  AuditFixture,
  CLOUD_MGMT,
  CLUSTERS,
  PROJECTS,
  SELF,
} from './testing/audit-fixture.js';

const ACCOUNTS = { group: 'cloud.crate.dev', version: 'v1alpha1', plural: 'cloudaccounts' };
const TEAM_A = { ...PROJECTS, name: 'team-a' };
const ACCOUNT = {
  apiVersion: 'cloud.crate.dev/v1alpha1',
  kind: 'CloudAccount',
  metadata: { name: 'main', namespace: 'team-a' },
  spec: { provider: 'aws', credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-very-secret-key' } },
};

let server: PostgresServer;
let audit: AuditFixture;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  audit = await AuditFixture.open(server);
});
afterEach(() => audit.close());

describe('a write', () => {
  it('is recorded with who, what, from where, and the fields that changed', async () => {
    const { object } = await audit.api.create(PROJECTS, aProject('team-a'), {}, ADA);
    const patch = { spec: { displayName: 'The A team' }, metadata: { labels: { tier: 'gold' } } };
    await audit.api.patch(TEAM_A, patch, { type: 'merge' }, ADA);
    await audit.api.remove(TEAM_A, {}, ADA);

    const base = {
      time: '2026-01-01T00:00:00.000Z',
      service: 'lifecycle',
      user: 'ada',
      groups: ['team-a'],
      address: '192.0.2.7',
      userAgent: 'kubectl/v1.33',
      traceId: ADA.traceId,
      group: 'lifecycle.crate.dev',
      resource: 'projects',
      kind: 'Project',
      name: 'team-a',
      project: 'team-a',
      uid: object.metadata.uid,
      decision: 'allowed',
    };
    const [created, patched, removed, ...more] = await audit.records();
    expect(created).toMatchObject({ ...base, verb: 'create', code: 201, resourceVersion: '1' });
    expect(patched).toMatchObject({
      ...base,
      verb: 'patch',
      code: 200,
      resourceVersion: '2',
      changes: expect.arrayContaining([
        { path: '/spec/displayName', to: 'The A team' },
        { path: '/metadata/labels', to: { tier: 'gold' } },
      ]),
    });
    expect(removed).toMatchObject({ ...base, verb: 'delete', code: 200, resourceVersion: '3' });
    expect(removed).not.toHaveProperty('changes');
    expect(more).toEqual([]);
  });

  it('is not stored when it cannot be recorded', async () => {
    await audit.database.rowsOnce('ALTER TABLE audit_log ADD CHECK (false) NOT VALID');
    await expect(audit.api.create(PROJECTS, aProject('team-a'), {}, ADA)).rejects.toMatchObject({ code: 'Invariant' });
    expect((await audit.api.list(PROJECTS, {}, ADA)).items).toEqual([]);
    expect(await audit.store.currentRevision()).toBe('0');
  });

  it('is recorded by somebody else’s write that lost no race, and by its own once it won', async () => {
    await audit.api.create(PROJECTS, aProject('team-a'), {}, ADA);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        audit.api.patch(TEAM_A, { metadata: { labels: { [`l${n}`]: 'x' } } }, { type: 'merge' }, ADA),
      ),
    );
    const patched = (await audit.records()).filter(({ verb }) => verb === 'patch');
    expect(patched).toHaveLength(20);
    expect(new Set(patched.map(({ resourceVersion }) => resourceVersion)).size).toBe(20);
  });

  it('never shows a secret, whatever the admission of its kind leaves in', async () => {
    await audit.api.create(ACCOUNTS, ACCOUNT, {}, ADA);
    const copy = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(ACCOUNT) };
    await audit.api.patch(
      { ...ACCOUNTS, name: 'main', namespace: 'team-a' },
      {
        metadata: { annotations: { ...copy, note: '-----BEGIN EC PRIVATE KEY-----\nMHc=' } },
        spec: { credentials: { secretAccessKey: 'another-secret-key' } },
      },
      { type: 'merge' },
      ADA,
    );
    const lines = (await audit.log.read({ after: 0, limit: 10 })).rows.map(({ line }) => line).join('\n');
    expect(lines).not.toMatch(/secret-key|AKIAEXAMPLE|MHc=/);
    expect((await audit.records())[1]?.changes).toEqual(
      expect.arrayContaining([
        { path: '/spec/credentials/secretAccessKey', from: '[redacted]', to: '[redacted]' },
        { path: '/metadata/annotations/note', to: '[redacted]' },
      ]),
    );
  });

  it('that changes nothing is recorded for a person, with dry runs, and not for a service', async () => {
    await audit.api.create(PROJECTS, aProject('team-a'), {}, ADA);
    const nothing = { metadata: { labels: null } };
    await audit.api.patch(TEAM_A, nothing, { type: 'merge' }, ADA);
    await audit.api.patch(TEAM_A, nothing, { type: 'merge' }, CLOUD_MGMT);
    await audit.api.patch(TEAM_A, { metadata: { labels: { a: 'b' } } }, { type: 'merge', dryRun: true }, ADA);
    const [, same, dry, ...more] = await audit.records();
    expect(same).toMatchObject({ verb: 'patch', user: 'ada', code: 200 });
    expect(same).not.toHaveProperty('changes');
    expect(dry).toMatchObject({ verb: 'patch', dryRun: true });
    expect(more).toEqual([]);
  });

  it('of another service names the service, and the person it acts for', async () => {
    const context = { ...ADA, caller: { ...ADA.caller, service: 'console' } };
    await audit.api.create(PROJECTS, aProject('team-a'), {}, context);
    await audit.api.create(PROJECTS, aProject('team-b'), {}, CLOUD_MGMT);
    expect(await audit.records()).toMatchObject([
      { user: 'ada', via: 'console', name: 'team-a' },
      { user: 'system:cloud-mgmt', via: 'cloud-mgmt', name: 'team-b' },
    ]);
  });

  it('by the service itself is recorded unless it is about status and finalizers', async () => {
    await audit.api.create(PROJECTS, aProject('team-a'), {}, SELF);
    await audit.api.patch(TEAM_A, { metadata: { finalizers: ['crate.dev/x'] } }, { type: 'merge' }, SELF);
    const { object } = await audit.api.patch(TEAM_A, { metadata: { labels: { a: 'b' } } }, { type: 'merge' }, SELF);
    await audit.api.update(TEAM_A, { ...object, status: { observedGeneration: 1 } }, { subresource: 'status' }, SELF);
    const records = await audit.records();
    expect(records.map(({ verb, user }) => [verb, user])).toEqual([
      ['create', 'system:lifecycle'],
      ['patch', 'system:lifecycle'],
    ]);
    expect(records[0]).not.toHaveProperty('via');
  });

  it('of a collection is recorded object by object', async () => {
    for (const name of ['team-a', 'team-b']) await audit.api.create(PROJECTS, aProject(name), {}, ADA);
    await audit.api.removeCollection(PROJECTS, {}, {}, ADA);
    expect((await audit.records()).slice(2)).toMatchObject([
      { verb: 'deletecollection', name: 'team-a', project: 'team-a' },
      { verb: 'deletecollection', name: 'team-b', project: 'team-b' },
    ]);
  });

  it('that fails is recorded for a service; people’s are recorded where they are answered', async () => {
    const missing = { ...PROJECTS, name: 'nobody' };
    for (const context of [ADA, SELF, CLOUD_MGMT]) {
      await expect(audit.api.remove(missing, {}, context)).rejects.toMatchObject({ code: 'NotFound' });
    }
    expect(await audit.records()).toMatchObject([
      { user: 'system:cloud-mgmt', verb: 'delete', name: 'nobody', code: 404, reason: 'NotFound', decision: 'allowed' },
    ]);
  });
});

describe('a read of a secret', () => {
  const DEMO = { ...CLUSTERS, namespace: 'team-a', name: 'demo' };

  beforeEach(async () => {
    await audit.api.create(
      CLUSTERS,
      {
        apiVersion: 'lifecycle.crate.dev/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'demo', namespace: 'team-a' },
        spec: {
          accountRef: { name: 'sandbox' },
          region: 'us-east-1',
          kubernetes: { engine: 'rke', version: 'v1.31.4' },
          nodePools: [{ name: 'workers', replicas: 2, machineType: 'm5.xlarge' }],
        },
      },
      {},
      ADA,
    );
  });

  it('is recorded before it is answered, and other reads are not', async () => {
    await audit.api.get(DEMO, ADA);
    await audit.api.readSubresource(DEMO, 'status', ADA);
    expect(await audit.api.readSubresource(DEMO, 'kubeconfig', ADA)).toBe('apiVersion: v1\n');
    expect((await audit.records()).slice(1)).toMatchObject([
      { verb: 'get', resource: 'clusters', subresource: 'kubeconfig', name: 'demo', project: 'team-a', user: 'ada' },
    ]);
  });

  it('is recorded with the time until which it is good, and with nothing else of it', async () => {
    const [notBefore, notAfter] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];
    const subject = { commonName: 'ada', organization: 'admins', notBefore, notAfter };
    const { certificate } = await issueClientCertificate(await createAuthority('kube-ca'), subject);
    const encoded = Buffer.from(certificate).toString('base64');
    audit.kubeconfig = `apiVersion: v1\nusers:\n  - name: ada\n    user:\n      client-certificate-data: ${encoded}\n`;
    await audit.api.readSubresource(DEMO, 'kubeconfig', ADA);
    const record = (await audit.records()).at(-1);
    expect(record).toMatchObject({ subresource: 'kubeconfig', message: 'Good until 2026-01-02T00:00:00.000Z' });
    expect(JSON.stringify(record)).not.toContain(encoded.slice(100, 140));
  });

  it('that makes it is recorded with the code of its answer, and a dry run, which makes none, as such', async () => {
    const key = { ...API_KEYS, namespace: 'team-a', name: 'ci' };
    const body = { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'APIKey', spec: { role: 'viewer' } };
    await audit.api.create(API_KEYS, { ...body, metadata: { name: 'ci', namespace: 'team-a' } }, {}, ADA);
    for (const dryRun of [true, false]) {
      await audit.api.writeSubresource(key, 'token', { verb: 'create', body: {}, dryRun }, ADA);
    }
    const [tried, issued] = (await audit.records()).slice(-2);
    expect([tried, issued]).toMatchObject([
      { verb: 'create', resource: 'apikeys', subresource: 'token', name: 'ci', code: 201, dryRun: true },
      { verb: 'create', resource: 'apikeys', subresource: 'token', name: 'ci', code: 201 },
    ]);
    expect(issued).not.toHaveProperty('dryRun');
  });

  it('gets nothing when it cannot be recorded', async () => {
    audit.log.append = () => Promise.reject(unavailable('The database does not answer'));
    await expect(audit.api.readSubresource(DEMO, 'kubeconfig', ADA)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
