import type { CloudAccount, DeletionRecord, Infrastructure } from '@crate/api';
import { hasCode } from '@crate/errors';
import { MANAGED_BY, OWNER_TAGS, type Ownership } from '@crate/infra-aws';
import type { TypedClient } from '@crate/resource-client';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import type { InfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import type { CloudProviders } from '../provider/cloud-providers.js';
import { withMachinesOf } from '../infrastructure/lost-resources.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import type { TerraformRun, TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import { lastChange } from '../terraform-run/unbegun-run.js';
import { isResponsibleFor } from './responsibility.js';
import { listRegions, type SweepListing } from './sweep-listing.js';
import { resourceKey, type DeletedOwner, type ListedResource, type LiveOwner, type SweepWorld } from './sweep-world.js';

/** Parts of other things that nobody removes by themselves. */
const PARTS = ['aws_lb_target_group_attachment'];

/** What is tried again is so within minutes: where nothing came for that long after a run, nothing may for as long as a cluster is paused or held. */
const FOLLOWED_WITHIN_MS = 30 * 60_000;

const NOTHING_UNKNOWN: Ownership = { adoptions: [], duplicates: [], strays: [] };

export interface SweepObserverParts {
  readonly installationId: string;
  readonly accounts: TypedClient<CloudAccount>;
  readonly infrastructures: TypedClient<Infrastructure>;
  readonly records: TypedClient<DeletionRecord>;
  readonly providers: CloudProviders;
  readonly credentials: AccountCredentialsStore;
  readonly runs: Pick<TerraformRunRepository, 'list' | 'now'>;
  readonly states: Pick<StateKeeper, 'find'>;
  readonly stack: InfrastructureStack;
  readonly now: () => Date;
}

/** What there is, and where it was looked for. */
export interface SweepObservation {
  /** Those too that did not answer. */
  readonly regions: readonly string[];
  readonly world: SweepWorld;
}

/** Looks at an account and at everything that a sweep of it decides by. Changes nothing. */
export class SweepObserver {
  constructor(private readonly parts: SweepObserverParts) {}

  /** Throws what the provider throws where no region answers: of those that do not, nothing is proven. */
  async observe(account: CloudAccount, signal: AbortSignal): Promise<SweepObservation> {
    // Records before objects: an Infrastructure that goes meanwhile is unknown for one sweep, never taken for dead while it lives.
    const records = await this.parts.records.list();
    const infrastructures = await this.parts.infrastructures.list();
    const accounts = await this.parts.accounts.list();
    const regions = regionsOf(account, infrastructures, records);
    const { listed, unanswered } = await this.list(account, regions, signal);
    // After the listing: whatever was made for it is in the state by now, or its run still goes on.
    const live = await this.liveOwners(account, infrastructures, listed);
    const isResponsible = isResponsibleFor(account, { accounts, live });
    const { installationId, now } = this.parts;
    const before = account.status?.sweep?.findings ?? [];
    return {
      regions,
      world: {
        installationId,
        listed,
        unanswered,
        live,
        deleted: deletedOwners(records, account),
        isResponsible,
        before,
        now: now(),
      },
    };
  }

  private async list(account: CloudAccount, regions: readonly string[], signal: AbortSignal): Promise<SweepListing> {
    const { provider, accountId } = account.spec;
    const credentials = await this.parts.credentials.find(account);
    const cloud = this.parts.providers.get(provider);
    const tag = [OWNER_TAGS.managedBy, MANAGED_BY] as const;
    return listRegions(regions, signal, async (region, options) => {
      const found = await cloud.listByTag({ accountId, credentials, region }, tag, signal, options);
      return found.filter(({ type }) => !PARTS.includes(type));
    });
  }

  private async liveOwners(
    account: CloudAccount,
    infrastructures: readonly Infrastructure[],
    listed: readonly ListedResource[],
  ): Promise<ReadonlyMap<string, LiveOwner>> {
    const owners = new Map<string, LiveOwner>();
    const owned = byOwner(listed);
    for (const infrastructure of infrastructures) {
      const isHere = usesAccount(infrastructure, account);
      const { uid } = infrastructure.metadata;
      const elsewhere = { infrastructure, isHere, ownership: undefined, lastRunId: undefined, looksAnyway: false };
      const look = (): Promise<LiveOwner> => this.ownerHere(infrastructure, account, owned.get(uid) ?? []);
      owners.set(uid, isHere ? await look() : elsewhere);
    }
    return owners;
  }

  private async ownerHere(
    infrastructure: Infrastructure,
    account: CloudAccount,
    owned: readonly ListedResource[],
  ): Promise<LiveOwner> {
    const { uid, deletionTimestamp } = infrastructure.metadata;
    const runs = await this.parts.runs.list(uid);
    // A run that was not let through may have no next one for long.
    const isSettled = lastChange(runs)?.state === 'succeeded' && runs.every(({ state }) => state !== 'running');
    const base = { infrastructure, isHere: true, lastRunId: runs[0]?.id, looksAnyway: !isSettled };
    // What a run has not written down yet, or the next one will look for in a moment, is no finding.
    const isFollowed = !isSettled && !isLeft(runs, await this.parts.runs.now());
    if (deletionTimestamp !== undefined || isFollowed) return { ...base, ownership: undefined };
    const wanted = isSettled ? infrastructure : withMachinesOf(infrastructure, owned);
    return { ...base, ownership: await this.ownershipOf(wanted, account, owned) };
  }

  /** Undefined where the state cannot be read: its own Infrastructure tells of that. */
  private async ownershipOf(
    infrastructure: Infrastructure,
    account: CloudAccount,
    owned: readonly ListedResource[],
  ): Promise<Ownership | undefined> {
    const state = await this.parts.states.find(infrastructure.metadata.uid).catch(orDamaged);
    if (state === 'damaged') return undefined;
    const managed = (state?.resources ?? []).flatMap(({ address, id }): [string, string][] =>
      id === undefined ? [] : [[address, id]],
    );
    const known = new Set(state?.resources.map(({ type, id }) => `${type}/${id}`));
    // As a rule the state knows everything, and nobody need ask what the stack looks like.
    if (owned.every((one) => known.has(resourceKey(one)))) return NOTHING_UNKNOWN;
    const { document } = this.parts.stack.synthesize(infrastructure, account);
    return this.parts.stack.decideOwnership({ document, owned, managed: new Map(managed) });
  }
}

/** Whether the last sign of any of them is so old that no run will follow by itself. */
function isLeft(runs: readonly Pick<TerraformRun, 'endedAt' | 'heartbeatAt'>[], now: Date): boolean {
  const signs = runs.map(({ endedAt, heartbeatAt }) => (endedAt ?? heartbeatAt).getTime());
  return signs.length > 0 && now.getTime() - Math.max(...signs) > FOLLOWED_WITHIN_MS;
}

/** By uid of the Infrastructure that their tags name. */
function byOwner(listed: readonly ListedResource[]): ReadonlyMap<string, readonly ListedResource[]> {
  const found = new Map<string, ListedResource[]>();
  for (const one of listed) {
    const uid = one.tags[OWNER_TAGS.infrastructureUid] ?? '';
    const others = found.get(uid);
    if (others) others.push(one);
    else found.set(uid, [one]);
  }
  return found;
}

/** Wherever the account was ever used: what was forgotten somewhere would never be found otherwise. */
function regionsOf(
  account: CloudAccount,
  infrastructures: readonly Infrastructure[],
  records: readonly DeletionRecord[],
): readonly string[] {
  const { name, namespace } = account.metadata;
  const used = infrastructures.filter((one) => usesAccount(one, account)).map(({ spec }) => spec.region);
  const left = records
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.account.name === name)
    .map(({ spec }) => spec.region);
  return [...new Set([...used, ...left, ...(account.status?.sweep?.regions ?? [])])].sort();
}

/** By uid of the Infrastructure that is gone. A record of another account proves nothing about what is found in this one. */
function deletedOwners(
  records: readonly DeletionRecord[],
  { spec: { accountId } }: CloudAccount,
): ReadonlyMap<string, DeletedOwner> {
  const own = records.filter(({ spec }) => (spec.account.id ?? accountId) === accountId);
  return new Map(
    own.map(({ metadata, spec }) => [
      spec.infrastructure.uid,
      { record: metadata.name, abandoned: new Set(spec.proof.abandoned.map(({ name }) => name)) },
    ]),
  );
}

function usesAccount({ metadata, spec }: Infrastructure, account: CloudAccount): boolean {
  return metadata.namespace === account.metadata.namespace && spec.accountRef.name === account.metadata.name;
}

function orDamaged(error: unknown): 'damaged' {
  if (hasCode(error, 'Conflict', 'Invariant')) return 'damaged';
  throw error;
}
