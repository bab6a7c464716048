import { setTimeout as delay } from 'node:timers/promises';
import type { Policy, PolicyStage, WatchEvent } from '@crate/api';
import { unavailable } from '@crate/errors';
import { catalogued, type CataloguedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import type { Logger } from '@crate/telemetry';

const RETRY_MS = 1000;

/** The rules in force, kept up to date by a watch and compiled once per change. */
export class PolicyCatalogue {
  private policies: ReadonlyMap<string, CataloguedPolicy> | undefined;
  private reached = 0n;
  private waiters: (() => void)[] = [];

  constructor(
    private readonly client: TypedClient<Policy>,
    private readonly logger: Logger,
  ) {}

  /** Every change up to this revision is in; undefined until all rules were read once. */
  get revision(): string | undefined {
    return this.policies && this.reached.toString();
  }

  /** Rules of one stage by name. Throws Unavailable until all were read: no rules must not pass for no objection. */
  ofStage(stage: PolicyStage): readonly CataloguedPolicy[] {
    if (!this.policies) throw unavailable('The policies are not loaded yet');
    return [...this.policies.values()]
      .filter(({ policy }) => policy.spec.match.stages.includes(stage))
      .sort((left, right) => (left.policy.metadata.name < right.policy.metadata.name ? -1 : 1));
  }

  /** Follows the rules until the signal aborts; starts over when the watch breaks, and keeps the old rules meanwhile. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.watch(signal);
      } catch (error) {
        if (!signal.aborted) this.logger.warn('Watching policies again after an error', { error });
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** True once every change up to `revision` is in; false when that takes longer than `timeoutMs`. */
  async reaches(revision: string, timeoutMs: number): Promise<boolean> {
    const end = AbortSignal.timeout(timeoutMs);
    while (!this.policies || this.reached < BigInt(revision)) {
      if (end.aborted) return false;
      await this.nextChange(end);
    }
    return true;
  }

  /** Takes note that nothing up to `revision` concerns rules. */
  advance(revision: string): void {
    if (BigInt(revision) > this.reached) this.reached = BigInt(revision);
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const next = new Map<string, CataloguedPolicy>();
    const options = { sendInitialEvents: true, allowBookmarks: true };
    for await (const event of this.client.watch(options, signal)) {
      apply(next, event);
      // The first bookmark says that all rules are in.
      if (event.type === 'BOOKMARK') this.policies = next;
      if (this.policies === next) this.advance(event.object.metadata.resourceVersion);
      for (const wake of this.waiters.splice(0)) wake();
    }
  }

  private async nextChange(end: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.waiters.push(resolve);
      end.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

function apply(policies: Map<string, CataloguedPolicy>, event: WatchEvent<Policy>): void {
  if (event.type === 'BOOKMARK') return;
  const { object: policy } = event;
  const { name, generation } = policy.metadata;
  if (event.type === 'DELETED') {
    policies.delete(name);
    return;
  }
  const known = policies.get(name);
  const isSame = known?.policy.metadata.generation === generation && known.policy.metadata.uid === policy.metadata.uid;
  policies.set(name, isSame ? { ...known, policy } : catalogued(policy));
}
