import type { ApiClient } from '../platform/api-client.js';
import { TargetApi } from '../platform/target-api.js';
import type { KubeObject } from '../world/kube-object.js';
import { Asking, collectionOf, isSuccess, MERGE } from './asking.js';
import type { Ledger } from './ledger.js';
import { CLAIM, SERVICE, SHOP } from './shop.js';

const CLUSTERS = collectionOf('lifecycle', 'clusters');
const REMOVE_VOLUMES = 'lifecycle.crate.dev/remove-volumes';

interface Blocker {
  readonly name: string;
  readonly reason: string;
}

/** Those whose workloads are in the clusters. */
export class Developers {
  /** Volumes that they let go. */
  readonly decided = new Set<string>();

  constructor(
    private readonly asking: Asking,
    private readonly ledger: Ledger,
    private readonly reach: (kubeconfig: string) => Pick<ApiClient, 'send'> = (text) => new TargetApi(text),
  ) {}

  /** Puts a workload with a load balancer and a volume into a cluster. Gives whether both are there. */
  async expose(cluster: string): Promise<boolean> {
    const path = `${CLUSTERS}/${cluster}`;
    const found = await this.asking.ask({ method: 'GET', path });
    const handedOut = await this.asking.ask({ method: 'GET', path: `${path}/kubeconfig` });
    if (!isSuccess(found) || !found.body || !isSuccess(handedOut)) return false;
    const target = new Asking(this.reach(handedOut.text));
    for (const request of SHOP) if (!isSuccess(await target.ask(request))) return false;
    if (!(await isServed(target))) return false;
    this.ledger.note('exposed', 'Cluster', found.body);
    return true;
  }

  /** Says of every volume that keeps a deletion waiting because nobody could look into the cluster: it may go. */
  async decide(): Promise<void> {
    const { body } = await this.asking.ask({ method: 'GET', path: CLUSTERS });
    const { items = [] } = (body ?? {}) as { readonly items?: readonly KubeObject[] };
    for (const { metadata, status } of items) {
      const { blockers = [] } = (status?.['deletion'] ?? {}) as { readonly blockers?: readonly Blocker[] };
      const undecided = blockers.filter(({ reason }) => reason === 'VolumeUndecided').map(({ name }) => name);
      if (undecided.length === 0) continue;
      // Those that were named before may be there still.
      const named = (metadata.annotations?.[REMOVE_VOLUMES] ?? '').split(',').filter((id) => id !== '');
      const annotations = { [REMOVE_VOLUMES]: [...new Set([...named, ...undecided])].join(',') };
      const path = `${CLUSTERS}/${metadata.name}`;
      const body = { metadata: { annotations } };
      const answer = await this.asking.ask({ method: 'PATCH', path, body, contentType: MERGE });
      if (isSuccess(answer)) for (const id of undecided) this.decided.add(id);
    }
  }
}

async function isServed(target: Asking): Promise<boolean> {
  const service = await target.ask({ method: 'GET', path: SERVICE });
  const claim = await target.ask({ method: 'GET', path: CLAIM });
  const { ingress = [] } = (service.body?.status?.['loadBalancer'] ?? {}) as { readonly ingress?: readonly unknown[] };
  return ingress.length > 0 && claim.body?.status?.['phase'] === 'Bound';
}
