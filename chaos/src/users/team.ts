import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, ApiRequest } from '../platform/api-client.js';
import type { NewKey } from '../platform/new-keys.js';
import type { KubeObject } from '../world/kube-object.js';
import { Administrator } from './administrator.js';
import { Asking, collectionOf, isSuccess, MERGE, NAMESPACE, NOT_FOUND } from './asking.js';
import { Developers } from './developers.js';
import { Ledger } from './ledger.js';
import { Operators } from './operators.js';
import { PlatformTeam } from './platform-team.js';
import { Planner } from './planner.js';
import { ACCOUNT, type AnySpec, type UserAction } from './user-action.js';

const CLUSTERS = collectionOf('lifecycle', 'clusters');
const ACCOUNTS = collectionOf('cloud', 'cloudaccounts');
const PROJECTS = '/apis/lifecycle.crate.dev/v1alpha1/projects';
const CLASS_REVISION = 'lifecycle.crate.dev/class-revision';
const CHECK_DRIFT = 'lifecycle.crate.dev/check-drift';
const RETRY_MS = 500;
const SETUP_TRIES = 60;

/** What not everybody may do. */
type Administration = Extract<
  UserAction,
  { user: 'force' | 'restore' | 'credentials' | 'rotate-keys' | 'publish' | 'hold-rollout' }
>;

/** What people have of a platform: its API, and for a few of them a shell beside it. */
interface Access {
  readonly api: Pick<ApiClient, 'send'>;
  rotateKeys(): Promise<readonly NewKey[]>;
}

/** People who use a platform over its API, and remember what they were promised. */
export class Team {
  readonly ledger = new Ledger();
  private readonly asking: Asking;
  private readonly planner: Planner;
  private readonly administrator: Administrator;
  private readonly developers: Developers;
  private readonly operators: Operators;
  private readonly platformTeam: PlatformTeam;

  constructor(
    platform: Access,
    /** Ends what is asked for again and again. */
    private readonly signal: AbortSignal,
  ) {
    this.asking = new Asking(platform.api);
    this.planner = new Planner(this.asking, this.ledger, signal);
    this.administrator = new Administrator(this.asking, () => platform.rotateKeys(), this.ledger);
    this.developers = new Developers(this.asking, this.ledger);
    this.operators = new Operators(this.asking, this.planner);
    this.platformTeam = new PlatformTeam(this.asking, this.ledger);
  }

  /** A Project with an account, before anything is broken. */
  async prepare(): Promise<void> {
    const project = {
      apiVersion: 'lifecycle.crate.dev/v1alpha1',
      kind: 'Project',
      metadata: { name: NAMESPACE },
      spec: { displayName: 'Chaos' },
    };
    await this.insist({ method: 'POST', path: PROJECTS, body: project });
    const spec = {
      provider: 'sandbox-aws',
      accountId: '444455556666',
      credentials: credentials('AKIACHAOS000000FIRST'),
    };
    const account = {
      apiVersion: 'cloud.crate.dev/v1alpha1',
      kind: 'CloudAccount',
      metadata: { name: ACCOUNT, namespace: NAMESPACE },
      spec,
    };
    await this.insist({ method: 'POST', path: ACCOUNTS, body: account });
  }

  /** Asks once; what was refused or not answered is no promise. */
  async act(action: UserAction): Promise<void> {
    switch (action.user) {
      case 'create':
        return this.store(creation(action.cluster, action.spec));
      case 'change':
        return this.store({
          method: 'PATCH',
          path: `${CLUSTERS}/${action.cluster}`,
          body: { spec: action.spec },
          contentType: MERGE,
        });
      case 'delete':
        return this.delete(action.cluster);
      case 'recreate':
        return this.recreate(action.cluster, action.spec);
      case 'plan':
        return this.planner.carryOut(action.cluster, action.plan, action.wish);
      case 'expose':
        return this.expose(action.cluster);
      case 'move':
        return this.move(action.cluster);
      default:
        return this.administer(action);
    }
  }

  private async administer(action: Administration): Promise<void> {
    switch (action.user) {
      case 'force':
        await this.delete(action.cluster);
        return this.administrator.force(action.cluster);
      case 'restore':
        return this.administrator.restore(action.cluster, action.back);
      case 'rotate-keys':
        return this.administrator.rotateKeys();
      case 'credentials':
        return this.replaceCredentials(action.accessKeyId);
      case 'publish':
        return this.platformTeam.publish(action.content);
      case 'hold-rollout':
        return void (await this.platformTeam.holdRollout(action.paused));
    }
  }

  /** Asks until it is done, as somebody does who needs it. Rejects when the time is over. */
  async insistOn(action: UserAction): Promise<void> {
    for (let tries = 0; tries < SETUP_TRIES; tries += 1) {
      const before = this.ledger.acknowledged.length;
      await this.act(action);
      if (this.ledger.acknowledged.length > before || (await this.wasDone(action))) return;
      await delay(RETRY_MS);
    }
    throw new Error(`Nobody did ${JSON.stringify(action)}`);
  }

  /** What was done and not answered cannot be done again; it was no promise either. */
  private async wasDone(action: UserAction): Promise<boolean> {
    if (action.user !== 'create' && action.user !== 'delete') return false;
    const answer = await this.asking.ask({ method: 'GET', path: `${CLUSTERS}/${action.cluster}` });
    if (action.user === 'create') return isSuccess(answer);
    return answer.status === NOT_FOUND || answer.body?.metadata?.deletionTimestamp !== undefined;
  }

  /** Takes every cluster out of its pause, and lets happen to it what has to. */
  async resumeAll(): Promise<void> {
    const spec = { paused: false, maxImpact: null };
    for (const cluster of await this.names()) await this.insistOn({ user: 'change', cluster, spec });
  }

  /** Lets the rollout of the class go on, if there is one. Rejects when the time is over. */
  async resumeRollouts(): Promise<void> {
    await this.untilDone('the rollout goes on', () => this.platformTeam.holdRollout(false));
  }

  /** Takes the class away once no cluster stands on it. Rejects when the time is over. */
  async withdrawClass(): Promise<void> {
    await this.untilDone('the class is withdrawn', () => this.platformTeam.withdraw());
  }

  /**
   * Has every cluster compared with the cloud that was not asked for it; `question` is the answer to wait for. To be called again: an approved
   * plan may make a cluster later, and one that does not answer is asked the next time.
   */
  async compareAll(question: string): Promise<void> {
    const body = { metadata: { annotations: { [CHECK_DRIFT]: question } } };
    for (const { metadata } of await this.living()) {
      if (metadata.annotations?.[CHECK_DRIFT] === question) continue;
      await this.asking.ask({ method: 'PATCH', path: `${CLUSTERS}/${metadata.name}`, body, contentType: MERGE });
    }
  }

  /** Puts a workload with a load balancer and a volume into every cluster. Rejects when the time is over. */
  async exposeAll(): Promise<void> {
    for (const cluster of await this.names()) {
      await this.untilDone(`${cluster} is exposed`, () => this.developers.expose(cluster));
    }
  }

  /** What people do who see that something waits for them. */
  async help(): Promise<void> {
    await this.developers.decide();
    await this.operators.decide();
  }

  /** How many volumes people let go that a deletion waited for. */
  get decided(): number {
    return this.developers.decided.size;
  }

  async deleteAll(): Promise<void> {
    for (const cluster of await this.names()) await this.insistOn({ user: 'delete', cluster });
  }

  private async names(): Promise<readonly string[]> {
    return (await this.living()).map(({ metadata }) => metadata.name);
  }

  private async living(): Promise<readonly KubeObject[]> {
    const body = await this.insist({ method: 'GET', path: CLUSTERS });
    const { items = [] } = body as { items?: readonly KubeObject[] };
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  private async store(request: ApiRequest): Promise<void> {
    const answer = await this.asking.ask(request);
    if (isSuccess(answer) && answer.body) this.ledger.note('stored', 'Cluster', answer.body);
  }

  private async delete(cluster: string): Promise<void> {
    const path = `${CLUSTERS}/${cluster}`;
    const found = await this.asking.ask({ method: 'GET', path });
    if (!isSuccess(found) || !found.body) return;
    const { uid } = found.body.metadata;
    const answer = await this.asking.ask({ method: 'DELETE', path, body: { preconditions: { uid } } });
    if (isSuccess(answer)) this.ledger.note('deleted', 'Cluster', found.body);
  }

  private async move(cluster: string): Promise<void> {
    const body = { metadata: { annotations: { [CLASS_REVISION]: 'newest' } } };
    await this.store({ method: 'PATCH', path: `${CLUSTERS}/${cluster}`, body, contentType: MERGE });
  }

  private async untilDone(what: string, isDone: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < SETUP_TRIES; tries += 1) {
      if (await isDone()) return;
      await delay(RETRY_MS);
    }
    throw new Error(`Nobody got so far that ${what}`);
  }

  private async recreate(cluster: string, spec: AnySpec): Promise<void> {
    await this.delete(cluster);
    while (!this.signal.aborted) {
      const answer = await this.asking.ask(creation(cluster, spec));
      if (isSuccess(answer) && answer.body) return this.ledger.note('stored', 'Cluster', answer.body);
      await delay(RETRY_MS, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  private async expose(cluster: string): Promise<void> {
    while (!this.signal.aborted && !(await this.developers.expose(cluster))) {
      await delay(RETRY_MS, undefined, { signal: this.signal }).catch(() => undefined);
    }
  }

  private async replaceCredentials(accessKeyId: string): Promise<void> {
    const body = { spec: { credentials: credentials(accessKeyId) } };
    const path = `${ACCOUNTS}/${ACCOUNT}`;
    const answer = await this.asking.ask({ method: 'PATCH', path, body, contentType: MERGE });
    if (isSuccess(answer) && answer.body) this.ledger.note('stored', 'CloudAccount', answer.body, { accessKeyId });
  }

  private async insist(request: ApiRequest): Promise<KubeObject> {
    for (let tries = 0; tries < SETUP_TRIES; tries += 1) {
      const answer = await this.asking.ask(request);
      if (isSuccess(answer) && answer.body) return answer.body;
      await delay(RETRY_MS);
    }
    throw new Error(`${request.method} ${request.path} is not accepted`);
  }
}

function creation(name: string, spec: AnySpec): ApiRequest {
  const metadata = { name, namespace: NAMESPACE };
  return {
    method: 'POST',
    path: CLUSTERS,
    body: { apiVersion: 'lifecycle.crate.dev/v1alpha1', kind: 'Cluster', metadata, spec },
  };
}

/** The secret half is unlike anything else, so that it can be looked for. */
function credentials(accessKeyId: string): object {
  return { accessKeyId, secretAccessKey: `canary/${accessKeyId}/${'0123456789'.repeat(2)}` };
}
