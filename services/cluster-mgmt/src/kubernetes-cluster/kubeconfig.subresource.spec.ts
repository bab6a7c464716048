import { createPublicKey, X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KUBERNETES_CLUSTER, type KubernetesCluster } from '@crate/api';
import { forbidden, toStatus } from '@crate/errors';
import { currentEntries, formatKubeconfig, kubeconfigFor, parseKubeconfig } from '@crate/kubernetes';
import { InMemorySecretStore } from '@crate/secrets';
import { aBundle, anRkeState, type RkeStateOptions } from '../testing/an-rke-state.js';
import { BARE_SPEC } from '../testing/builders.js';
import { LocalClients } from '../testing/local-clients.js';
import { readKubeconfig } from '../testing/read-kubeconfig.js';

const NOW = new Date('2026-11-27T12:00:00.250Z');
const ADMINISTRATOR = { cert: 'ADMINISTRATOR CERTIFICATE', key: 'ADMINISTRATOR KEY' };
const bundle = aBundle();

let secrets: InMemorySecretStore;
let cluster: KubernetesCluster;
beforeEach(async () => {
  secrets = new InMemorySecretStore();
  cluster = await new LocalClients().create<KubernetesCluster>(KUBERNETES_CLUSTER, { spec: BARE_SPEC });
});

async function keepKubeconfig(name = 'demo'): Promise<void> {
  const credentials = ADMINISTRATOR;
  const kubeconfig = kubeconfigFor({ name, server: 'https://demo.example.com:6443', ca: 'CA', credentials });
  await secrets.put(cluster.metadata.uid, 'kubeconfig', Buffer.from(formatKubeconfig(kubeconfig)));
}

function keepState(options: RkeStateOptions = { bundle }): Promise<unknown> {
  return secrets.put(cluster.metadata.uid, 'rke-state', anRkeState(options));
}

function certificateIn(text: string): X509Certificate {
  const { user } = currentEntries(parseKubeconfig(text));
  return new X509Certificate(Buffer.from(String(user['client-certificate-data']), 'base64'));
}

async function refusal(): Promise<ReturnType<typeof toStatus>> {
  const thrown = await readKubeconfig({ secrets }, cluster).catch((error: unknown) => error);
  return toStatus(thrown);
}

describe('kubeconfigReader', () => {
  beforeEach(async () => {
    await keepKubeconfig();
    await keepState();
  });

  it('gives each who asks a certificate of the cluster by their name, in the group that a binding is for', async () => {
    const certificate = certificateIn(await readKubeconfig({ secrets }, cluster, { user: 'ada@example.com' }));
    expect(certificate.subject).toBe('O=crate:cluster-admins\nCN=ada@example.com');
    expect(certificate.verify(new X509Certificate(bundle['kube-ca']?.certificatePEM ?? '').publicKey)).toBe(true);
  });

  it('makes certificate and key anew for each answer, and keeps neither', async () => {
    const first = await readKubeconfig({ secrets }, cluster);
    const second = await readKubeconfig({ secrets }, cluster);
    const [one, two] = [first, second].map((text) => currentEntries(parseKubeconfig(text)).user);
    expect(one?.['client-key-data']).not.toBe(two?.['client-key-data']);
    const key = Buffer.from(String(one?.['client-key-data']), 'base64').toString();
    expect(certificateIn(first).publicKey.equals(createPublicKey(key))).toBe(true);
    expect(await secrets.versions(cluster.metadata.uid, 'kubeconfig')).toHaveLength(1);
  });

  it('never hands out what the engine made for the administrator', async () => {
    const text = await readKubeconfig({ secrets }, cluster);
    for (const secret of Object.values(ADMINISTRATOR)) {
      expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  it('is otherwise the newest one that is kept: the same server, authority and names', async () => {
    await keepKubeconfig('renamed');
    const { users, ...rest } = parseKubeconfig(await readKubeconfig({ secrets }, cluster));
    const { users: _, ...kept } = kubeconfigFor({
      name: 'renamed',
      server: 'https://demo.example.com:6443',
      ca: 'CA',
      credentials: ADMINISTRATOR,
    });
    expect(rest).toEqual(kept);
    expect(users.map(({ name }) => name)).toEqual(['renamed']);
  });

  it.each([
    { name: 'a day', query: {}, want: '2026-11-28T12:00:00.000Z' },
    { name: 'as long as is asked for', query: { expirationSeconds: '28800' }, want: '2026-11-27T20:00:00.000Z' },
  ])('is good for $name', async ({ query, want }) => {
    const certificate = certificateIn(await readKubeconfig({ secrets, now: () => NOW }, cluster, { query }));
    expect(certificate.validToDate.toISOString()).toBe(want);
    expect(certificate.validFromDate.getTime()).toBeLessThan(NOW.getTime());
  });

  it('never outlives the authority of the cluster', async () => {
    const end = new X509Certificate(bundle['kube-ca']?.certificatePEM ?? '').validToDate;
    const now = (): Date => new Date(end.getTime() - 3_600_000);
    expect(certificateIn(await readKubeconfig({ secrets, now }, cluster)).validToDate).toEqual(end);
  });

  it('is refused for a time that it cannot have', async () => {
    const read = readKubeconfig({ secrets }, cluster, { query: { expirationSeconds: '60' } });
    await expect(read).rejects.toMatchObject({ code: 'BadRequest', details: { field: 'expirationSeconds' } });
  });

  it('sees to it that the cluster knows the group', async () => {
    const kept: string[] = [];
    const keep = (uid: string): Promise<undefined> => Promise.resolve(void kept.push(uid));
    await readKubeconfig({ secrets, admins: { keep } }, cluster);
    expect(kept).toEqual([cluster.metadata.uid]);
  });

  it('is not handed out where the cluster refuses to know the group: it would be good for nothing', async () => {
    const refused = forbidden('denied by a webhook');
    const read = readKubeconfig({ secrets, admins: { keep: () => Promise.resolve(refused) } }, cluster);
    await expect(read).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('denied by a webhook'),
      details: { reason: 'AdminsRefused', remedy: expect.stringContaining('crate:cluster-admins') },
    });
  });

  it('is signed by the authority of a run that was never finished, where there is no other', async () => {
    const other = aBundle();
    await keepState({ bundle: other, isApplied: false });
    const certificate = certificateIn(await readKubeconfig({ secrets }, cluster));
    expect(certificate.verify(new X509Certificate(other['kube-ca']?.certificatePEM ?? '').publicKey)).toBe(true);
  });

  it('cannot be signed by a state without an authority, which is said', async () => {
    await keepState({ bundle: {} });
    expect(await refusal()).toMatchObject({
      code: 409,
      message: expect.stringContaining('no kubeconfig can be signed'),
    });
  });
});

describe('kubeconfigReader while there is none', () => {
  it('says that Kubernetes is not up yet, and when to ask again', async () => {
    expect(await refusal()).toMatchObject({
      code: 409,
      message: 'There is no kubeconfig of cluster "demo": Kubernetes is not up yet',
      details: { name: 'demo', retryAfterSeconds: 15 },
    });
  });

  it('does not ask anybody to wait for that of a cluster that goes', async () => {
    cluster = { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } };
    const status = await refusal();
    expect(status.message).toContain('being deleted');
    expect(status.details).not.toHaveProperty('retryAfterSeconds');
  });
});
