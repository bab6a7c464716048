import type { KubeObject } from '../world/kube-object.js';
import type { NewKey } from '../platform/new-keys.js';
import { collectionOf, isSuccess, MERGE, type Asking } from './asking.js';
import type { Ledger } from './ledger.js';

const CLUSTERS = collectionOf('lifecycle', 'clusters');
const STATES = collectionOf('cloud', 'stateversions');
const FORCE = 'lifecycle.crate.dev/force-deletion';

/** Somebody who may do what is for emergencies, and does it without one. */
export class Administrator {
  constructor(
    private readonly asking: Asking,
    private readonly rotate: () => Promise<readonly NewKey[]>,
    private readonly ledger: Ledger,
  ) {}

  /** Gives up what is in the way of a deletion that is under way. */
  async force(cluster: string): Promise<void> {
    const annotations = { [FORCE]: 'Chaos does not wait' };
    const body = { metadata: { annotations } };
    const answer = await this.asking.ask({
      method: 'PATCH',
      path: `${CLUSTERS}/${cluster}`,
      body,
      contentType: MERGE,
    });
    if (isSuccess(answer) && answer.body) this.ledger.note('stored', 'Cluster', answer.body, { annotations });
  }

  /** Gives every service a new key to encrypt with. */
  async rotateKeys(): Promise<void> {
    this.ledger.keys.push(...(await this.rotate().catch(() => [])));
  }

  /** Puts a Terraform state in place that is so many versions old. */
  async restore(cluster: string, back: number): Promise<void> {
    const selector = encodeURIComponent(`spec.infrastructureRef.name=${cluster}`);
    const { body } = await this.asking.ask({ method: 'GET', path: `${STATES}?fieldSelector=${selector}` });
    const { items = [] } = (body ?? {}) as { items?: readonly KubeObject[] };
    const serials = items.map(({ spec }) => Number(spec?.['serial'])).sort((left, right) => right - left);
    const serial = serials[back];
    if (serial === undefined) return;
    const path = `${STATES}/${cluster}.${serial}/restore`;
    const answer = await this.asking.ask({ method: 'POST', path, body: { reason: 'Chaos wants the past back' } });
    if (isSuccess(answer) && answer.body) this.ledger.note('restored', 'StateVersion', answer.body);
  }
}
