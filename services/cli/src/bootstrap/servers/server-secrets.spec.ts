import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { namesOf } from '@crate/auth';
import { BootstrapDir } from '../bootstrap-dir.js';
import { natsMember, natsSecret, postgresSecret, SERVERS_CA } from './server-names.js';
import { ensureServerSecrets, type ServerSecrets } from './server-secrets.js';

const dataOf = ({ secrets }: ServerSecrets, name: string): Readonly<Record<string, string>> =>
  secrets.find(({ metadata }) => metadata.name === name)?.stringData ?? {};

describe('ensureServerSecrets', () => {
  let dir: BootstrapDir;
  beforeEach(async () => {
    dir = new BootstrapDir(await mkdtemp(join(tmpdir(), 'crate-servers-')));
  });
  afterEach(() => rm(dir.root, { recursive: true }));

  it('makes them once', async () => {
    const made = await ensureServerSecrets(dir);
    expect(await ensureServerSecrets(dir)).toEqual(made);
    expect(await readFile(dir.serversCa(), 'utf8')).toBe(made.ca);
  });

  it('certifies the names that clients use, those of members, and the end of a tunnel', async () => {
    const made = await ensureServerSecrets(dir);
    const postgres = dataOf(made, postgresSecret)['tls.crt'] ?? '';
    expect(namesOf(postgres)).toEqual(expect.arrayContaining([new URL(made.databaseUrl).hostname, 'localhost']));
    expect(namesOf(dataOf(made, natsSecret)['tls.crt'] ?? '')).toEqual(
      expect.arrayContaining(['crate-nats.crate-system.svc', natsMember(0), natsMember(2)]),
    );
    expect(new X509Certificate(postgres).verify(new X509Certificate(made.ca).publicKey)).toBe(true);
  });

  it('gives clients no key of anybody', async () => {
    expect(Object.keys(dataOf(await ensureServerSecrets(dir), SERVERS_CA))).toEqual(['ca.crt']);
  });

  it('makes passwords that nats-server takes for no numbers, one for each user', async () => {
    const passwords = Object.values((await ensureServerSecrets(dir)).natsPasswords);
    expect(new Set(passwords).size).toBe(4);
    for (const password of passwords) expect(password).toMatch(/^n[0-9a-f]{48}$/);
  });
});
