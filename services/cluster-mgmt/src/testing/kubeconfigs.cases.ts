import { expect, it } from '@jest/globals';
import { createAuthority, issueClientCertificate, type CertificatePair } from '@crate/auth';
import { formatKubeconfig, HttpTargetCluster, kubeconfigForUser, parseKubeconfig } from '@crate/kubernetes';
import { authorityOf, parseRkeState } from '../engine-state/rke-state.js';
import { SECRET_KINDS } from '../engine/secret-kinds.js';
import { CLUSTER_ADMINS } from '../kubernetes-cluster/admin-binding.js';
import type { DemoCluster } from './demo-cluster.js';

const BINDING = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: CLUSTER_ADMINS };
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
const HOUR_MS = 3_600_000;

/** What kubeconfigs are good for that were handed out, in a cluster that checks them. */
export function kubeconfigs(demo: () => DemoCluster): void {
  it('lets in whom it gave a kubeconfig, until the group may do nothing any more', async () => {
    const text = await demo().kubeconfig();
    await as(text, (cluster) => cluster.nodes());

    const metadata = { name: CLUSTER_ADMINS, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } };
    const { apiVersion, kind } = BINDING;
    const nobody = { apiVersion, kind, metadata, roleRef: ROLE, subjects: [] };
    await as(text, (cluster) => cluster.applyObject(nobody, { fieldManager: 'somebody', force: true }));
    await demo().pass();
    for (const each of [text, await demo().kubeconfig()]) {
      await expect(as(each, (cluster) => cluster.nodes())).rejects.toMatchObject({ code: 'Forbidden' });
    }

    await as(await stored(demo(), SECRET_KINDS.kubeconfig), (cluster) => cluster.remove(BINDING));
    await demo().pass();
    await as(text, (cluster) => cluster.nodes());
  });

  it('lets nobody in by a certificate that has ended, or that another authority has signed', async () => {
    const own = authorityOf(parseRkeState(Buffer.from(await stored(demo(), SECRET_KINDS.engineState))) ?? {});
    const authority = { certificate: own?.certificatePEM ?? '', key: own?.keyPEM ?? '' };
    await as(await signedBy(authority, HOUR_MS), (cluster) => cluster.nodes());
    for (const text of [
      await signedBy(authority, -HOUR_MS),
      await signedBy(await createAuthority('kube-ca'), HOUR_MS),
    ]) {
      await expect(as(text, (cluster) => cluster.nodes())).rejects.toMatchObject({ code: 'Unauthenticated' });
    }
  });

  async function signedBy(authority: CertificatePair, endsInMs: number): Promise<string> {
    const [notBefore, notAfter] = [new Date(Date.now() - 2 * HOUR_MS), new Date(Date.now() + endsInMs)];
    const subject = { commonName: 'ada', organization: CLUSTER_ADMINS, notBefore, notAfter };
    const { certificate: cert, key } = await issueClientCertificate(authority, subject);
    return formatKubeconfig(kubeconfigForUser(parseKubeconfig(await demo().kubeconfig()), { cert, key }));
  }
}

async function stored(demo: DemoCluster, kind: string): Promise<string> {
  const { uid } = (await demo.find()).metadata;
  return Buffer.from((await demo.service.foundation.secrets.find(uid, kind))?.plain ?? []).toString('utf8');
}

async function as<T>(kubeconfig: string, work: (cluster: HttpTargetCluster) => Promise<T>): Promise<T> {
  const cluster = new HttpTargetCluster(kubeconfig);
  try {
    return await work(cluster);
  } finally {
    await cluster.close();
  }
}
