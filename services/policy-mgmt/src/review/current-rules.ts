import type { PolicyStage } from '@crate/api';
import { unavailable } from '@crate/errors';
import type { RulesInForce } from '@crate/policy-engine';
import type { ResourceStore } from '@crate/resource-store';
import { ensureFresh } from '../follow/freshness.js';
import { SharedLooks } from '../follow/shared-looks.js';
import type { PolicyCatalogue } from '../policy/policy.catalogue.js';
import type { RuleSource } from '../report/rule-source.js';
import type { WaiverCatalogue } from '../waiver/waiver.catalogue.js';

/** What documents are judged by: the rules, and the waivers of their Project. */
export class CurrentRules implements RuleSource {
  private readonly stopping = new AbortController();
  private readonly log: SharedLooks;
  private following: Promise<unknown> | undefined;

  constructor(
    private readonly policies: PolicyCatalogue,
    private readonly waivers: WaiverCatalogue,
    store: Pick<ResourceStore, 'changesSince'>,
  ) {
    this.log = new SharedLooks(store);
  }

  /** Follows them until `stop`. Throws Unavailable when they cannot be read in this time. */
  async start(timeoutMs: number): Promise<void> {
    const { signal } = this.stopping;
    const both = [this.policies, this.waivers];
    this.following = Promise.all(both.map((each) => each.follow(signal)));
    const loaded = await Promise.all(both.map((each) => each.reaches('0', timeoutMs)));
    if (loaded.includes(false)) throw unavailable('The policies and their waivers could not be loaded');
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  /** Sees to it that whatever was stored before, at any replica, decides. Throws Unavailable when that takes too long. */
  ensureFresh(): Promise<void> {
    return ensureFresh([this.policies, this.waivers], this.log);
  }

  /** As they are known here. */
  inForce(stage: PolicyStage, namespace: string): RulesInForce {
    return { policies: this.policies.ofStage(stage), waivers: this.waivers.inProject(namespace) };
  }
}
