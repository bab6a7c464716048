import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileKeyStore, SERVICES } from '@crate/auth';
import { FileKeyProvider } from '@crate/secrets';
import { firstAdminToken, releaseSecrets, type ReleaseSecrets } from './release-secrets.js';

const OWN = 'postgresql://db.example.com:5432/crate?sslmode=verify-full';

describe('releaseSecrets', () => {
  let directory: string;
  let made: ReleaseSecrets;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'crate-mounted-'));
    made = await releaseSecrets({ fullname: 'crate', namespace: 'crate-system', hosts: ['crate.example.com'] });
    for (const { metadata, stringData } of made.secrets) await mount(metadata.name, stringData);
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function mount(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(join(directory, name));
    for (const [file, text] of Object.entries(data)) {
      await writeFile(join(directory, name, file), text);
      await chmod(join(directory, name, file), 0o400);
    }
  }

  it.each(SERVICES)('gives %s keys that it signs and opens with, and that the others trust', async (service) => {
    const directories = {
      privateDir: join(directory, `crate-${service}-keys`),
      trustDir: join(directory, 'crate-trust'),
    };
    const store = new FileKeyStore(directories, service);
    expect(store.findPublicKey(service, store.signingKey().kid)).toBeDefined();
    expect(store.findOpeningKey(store.findSealingKey(service)?.kid ?? '')).toBeDefined();

    const keys = await FileKeyProvider.open(join(directory, `crate-${service}-encryption`));
    expect(await keys.newestKeyId()).toMatch(/^\d{8}T/);
  });

  it('names in the subject of a certificate what fits there', async () => {
    const long = `api-${'0'.repeat(60)}.elb.example.com`;
    const { secrets } = await releaseSecrets({ fullname: 'crate', namespace: 'crate-system', hosts: [long, 'short'] });
    const api = secrets.find(({ metadata }) => metadata.name === 'crate-api-tls');
    const certificate = new X509Certificate(api?.stringData['tls.crt'] ?? '');
    expect([certificate.subject, certificate.checkHost(long)]).toEqual(['CN=short', long]);
  });

  it('gives the API a certificate for its names, and for a port that is forwarded to it', async () => {
    const options = { fullname: 'crate', namespace: 'crate-system', hosts: ['crate.example.com'] };
    const { secrets } = await releaseSecrets(options);
    const api = secrets.find(({ metadata }) => metadata.name === 'crate-api-tls');
    const certificate = new X509Certificate(api?.stringData['tls.crt'] ?? '');
    for (const name of ['crate.example.com', 'crate-api', 'crate-api.crate-system.svc', 'localhost']) {
      expect(certificate.checkHost(name)).toBe(name);
    }
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  });

  it('makes members of bundled NATS of nobody else that has a certificate of the release', () => {
    const of = (name: string): Readonly<Record<string, string>> =>
      made.secrets.find(({ metadata }) => metadata.name === `crate-${name}`)?.stringData ?? {};
    const member = new X509Certificate(of('nats-routes-tls')['tls.crt'] ?? '');
    const members = new X509Certificate(of('nats-routes-tls')['ca.crt'] ?? '');
    // As the routes of the official chart name them.
    expect(member.subjectAltName).toBe('DNS:*.crate-nats-headless');
    expect(member.verify(members.publicKey)).toBe(true);
    for (const name of ['api-tls', 'nats-tls']) {
      expect(new X509Certificate(of(name)['tls.crt'] ?? '').verify(members.publicKey)).toBe(false);
    }
  });

  it('lets API servers ask the webhook with a certificate of its own authority, and nobody else', async () => {
    const { secrets, ca, webhookClient } = await releaseSecrets({
      ...{ fullname: 'crate', namespace: 'crate-system' },
      webhookHost: 'policies.example.com',
    });
    const names = secrets.filter(({ type }) => type === 'kubernetes.io/tls').map(({ metadata }) => metadata.name);
    expect(names).toEqual(['crate-webhook-tls']);
    const pair = secrets.find(({ metadata }) => metadata.name === 'crate-webhook-tls')?.stringData ?? {};
    const server = new X509Certificate(pair['tls.crt'] ?? '');
    const clients = new X509Certificate(pair['ca.crt'] ?? '');
    expect(server.checkHost('policies.example.com')).toBe('policies.example.com');
    expect(server.checkHost('crate-webhook.crate-system.svc')).toBe('crate-webhook.crate-system.svc');
    expect(server.verify(new X509Certificate(ca ?? '').publicKey)).toBe(true);
    expect(server.verify(clients.publicKey)).toBe(false);
    const client = new X509Certificate(webhookClient?.certificate ?? '');
    expect(client.verify(clients.publicKey)).toBe(true);
    expect(client.checkPrivateKey(createPrivateKey(webhookClient?.key ?? ''))).toBe(true);
    expect(made.webhookClient).toBeUndefined();
  });

  it('puts no private half where all services look', () => {
    const trust = made.secrets.find(({ metadata }) => metadata.name === 'crate-trust');
    expect(Object.keys(trust?.stringData ?? {}).every((name) => name.endsWith('.jwks.json'))).toBe(true);
    expect(JSON.stringify(trust)).not.toContain('PRIVATE');
  });

  it('signs in to bundled PostgreSQL as the role that it tells the operator', () => {
    const find = (name: string) => made.secrets.find(({ metadata }) => metadata.name === name)?.stringData ?? {};
    const { username, password } = find('crate-cloud-mgmt-postgres');
    const url = new URL(find('crate-cloud-mgmt-credentials')['database-url'] ?? '');
    expect([url.username, url.password, url.hostname]).toEqual([
      username,
      password,
      'crate-postgres-rw.crate-system.svc',
    ]);
    expect(username).toBe('cloud_mgmt');
    expect(made.sql).toBeUndefined();
  });

  it('has the operator of bundled PostgreSQL look at passwords again when they are changed', () => {
    const labels = made.secrets.map(({ metadata }) => [metadata.name, metadata.labels]);
    expect(labels.filter(([, each]) => each !== undefined)).toEqual(
      SERVICES.map((service) => [`crate-${service}-postgres`, { 'cnpg.io/reload': 'true' }]),
    );
  });

  it('tells the owner of another PostgreSQL which roles to make', async () => {
    const { secrets, sql } = await releaseSecrets({ fullname: 'x', namespace: 'y', databaseUrl: OWN });
    const credentials = secrets.find(({ metadata }) => metadata.name === 'x-lifecycle-credentials')?.stringData;
    const { username, password, search } = new URL(credentials?.['database-url'] ?? '');
    expect(sql).toContain(`CREATE ROLE ${username} LOGIN PASSWORD '${password}';`);
    expect(sql).toContain('CREATE SCHEMA lifecycle_events AUTHORIZATION lifecycle;');
    expect(search).toBe('?sslmode=verify-full');
    expect(secrets.filter(({ type }) => type !== 'Opaque')).toEqual([]);
  });

  it('lets somebody in to begin with, and puts nothing into the cluster to let others in by', async () => {
    expect(made.adminToken).toBeUndefined();
    const {
      secrets,
      adminToken = '',
      adminKey = '',
    } = await releaseSecrets({ fullname: 'x', namespace: 'y', adminDays: 7 });
    const claims = JSON.parse(Buffer.from(adminToken.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    expect(claims).toMatchObject({ sub: 'admin', groups: ['platform-admin'] });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(7 * 86_400);
    const owners = secrets
      .flatMap(({ stringData }) => Object.keys(stringData))
      .filter((name) => name.includes('local'));
    expect(owners.sort()).toEqual(['local-issuer.jwks.json', 'local-issuer.sealing.jwks.json']);
    expect(JSON.stringify(secrets)).not.toContain(JSON.stringify(adminKey).slice(1, -1));
    const headers = [adminToken, firstAdminToken(adminKey, 1)].map((token) => token.split('.')[0]);
    expect(headers[1]).toBe(headers[0]);
  });

  it('refuses a URL that names a user', async () => {
    const options = { fullname: 'x', namespace: 'y', databaseUrl: 'postgresql://me@db.example.com/crate' };
    await expect(releaseSecrets(options)).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
