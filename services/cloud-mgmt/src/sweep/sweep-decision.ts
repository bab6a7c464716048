import { toTimestamp, type Infrastructure, type SweepDecision, type SweepFinding, type SweepReason } from '@crate/api';
import { OWNER_TAGS } from '@crate/infra-aws';
import { NO_RUN } from './asked-owners.js';
import { isRemovable } from './removal-order.js';
import { wishFor } from './take-over.js';
import {
  GLOBAL,
  resourceKey,
  type DeletedOwner,
  type ListedResource,
  type LiveOwner,
  type SweepWorld,
} from './sweep-world.js';

/** What a sweep came to. */
export interface SweepVerdict {
  /** Sorted, each resource once. */
  readonly findings: readonly SweepFinding[];
  /** What was found before where nobody answers now: it stays told, and nothing is done about it, nor asked of its owner. Sorted. */
  readonly kept: readonly SweepFinding[];
  /** Resources of other installations. */
  readonly others: number;
  /** Resources of this installation. */
  readonly own: number;
}

interface Judgement {
  readonly decision: SweepDecision;
  readonly reason: SweepReason;
  readonly message: string;
}

/**
 * Decides about everything that carries Crate's tags. What cannot be proven abandoned is never removed: an owner that is not known
 * may belong to another installation, or to a memory that a restored backup has lost. Pure.
 */
export function decideSweep(world: SweepWorld): SweepVerdict {
  const once = [...new Map(world.listed.map((resource) => [resourceKey(resource), resource])).values()];
  const isForeign = (resource: ListedResource): boolean => isOfOthers(resource, world);
  const before = new Map(world.before.map((finding) => [resourceKey(finding), finding]));
  const findings = once
    .filter((resource) => !isForeign(resource))
    .flatMap((resource) => {
      const judgement = judge(resource, world);
      return judgement ? [findingOf(resource, judgement, before.get(resourceKey(resource)), world)] : [];
    });
  const others = once.filter(isForeign).length;
  const silent = world.unanswered.map(({ place }) => place);
  const kept = world.before.filter(({ region }) => silent.includes(region)).map(unasked);
  return { findings: findings.sort(byKey), kept: kept.toSorted(byKey), others, own: once.length - others };
}

/** Another installation says that it made it, and nobody here knows better. */
function isOfOthers({ tags }: ListedResource, { installationId, live }: SweepWorld): boolean {
  const installation = tags[OWNER_TAGS.installation];
  return installation !== undefined && installation !== installationId && !live.has(ownerOf(tags));
}

/** Undefined for what belongs where it is, and for what is another account's to tell of. */
function judge(resource: ListedResource, world: SweepWorld): Judgement | undefined {
  const uid = ownerOf(resource.tags);
  const owner = world.live.get(uid);
  if (owner?.isHere) return judgeOwned(resource, owner);
  if (!world.isResponsible(resource)) return undefined;
  if (owner) return judgeElsewhere(owner);
  if (resource.tags[OWNER_TAGS.installation] === undefined) {
    return report(
      'InstallationUnknown',
      'Does not say which installation made it; remove it by hand if nobody needs it',
    );
  }
  const deleted = world.deleted.get(uid);
  if (deleted) return judgeAbandoned(resource, deleted);
  return report(
    'OwnerUnknown',
    'Made by this installation for an Infrastructure that it does not know, as after a restore; bring its cluster back as docs/backup.md says, or remove it by hand',
  );
}

function judgeOwned(resource: ListedResource, { infrastructure, ownership }: LiveOwner): Judgement | undefined {
  if (infrastructure.spec.region !== resource.region && resource.region !== GLOBAL) return judgeElsewhere();
  if (!ownership) return undefined;
  const isThis = (one: { readonly type: string; readonly id: string }): boolean =>
    resourceKey(one) === resourceKey(resource);
  if (ownership.duplicates.some(isThis)) {
    return {
      decision: 'remove',
      reason: 'Duplicate',
      message: 'Made twice: its place is taken; the next run removes it',
    };
  }
  if (ownership.strays.some(isThis)) {
    return judgeWithoutPlace(resource, infrastructure);
  }
  const isAdoptable = ownership.adoptions.some(
    ({ to, id }) => id === resource.importId && to.split('.')[0] === resource.type,
  );
  if (!isAdoptable) return undefined;
  return {
    decision: 'adopt',
    reason: 'NotInState',
    message: 'Not in the state of its Infrastructure; the next run adopts it',
  };
}

/** Scaled up, perhaps, by a wish that a restored memory has lost: saying so again takes it over. */
function judgeWithoutPlace(resource: ListedResource, infrastructure: Infrastructure): Judgement {
  const wish = wishFor(resource, infrastructure);
  const way =
    wish === undefined ? 'remove it by hand if nobody needs it' : `to take it over, ${wish}; else remove it by hand`;
  return report('NoPlace', `Its Infrastructure lives, and its stack has no place for it; ${way}`);
}

function judgeElsewhere(owner?: LiveOwner): Judgement {
  const where = owner ? `uses CloudAccount ${owner.infrastructure.spec.accountRef.name}` : 'is in another region';
  return report('OwnerElsewhere', `Its Infrastructure lives, but ${where}; remove it by hand if nobody needs it`);
}

function judgeAbandoned({ type, id }: ListedResource, { record, abandoned }: DeletedOwner): Judgement {
  if (abandoned.has(id)) {
    return report('LeftBehind', `Given up in a forced deletion, see DeletionRecord ${record}; remove it by hand`);
  }
  if (!isRemovable(type)) {
    return report('TypeUnknown', `Its owner is gone, see DeletionRecord ${record}; remove it by hand`);
  }
  return { decision: 'remove', reason: 'OwnerDeleted', message: `Its owner is gone, see DeletionRecord ${record}` };
}

function report(reason: SweepReason, message: string): Judgement {
  return { decision: 'report', reason, message };
}

function findingOf(
  resource: ListedResource,
  judgement: Judgement,
  before: SweepFinding | undefined,
  { live, now }: SweepWorld,
): SweepFinding {
  const { type, id, region, tags } = resource;
  const name = tags['Name'];
  const cluster = tags[OWNER_TAGS.cluster];
  const project = tags[OWNER_TAGS.project];
  const uid = ownerOf(tags);
  const isSame = before?.decision === judgement.decision && before.reason === judgement.reason;
  const askedAfter = isSame ? stillAsked(before, live.get(uid)) : undefined;
  return {
    type,
    id,
    region,
    ...(name === undefined ? {} : { name }),
    owner: { uid, ...(cluster === undefined ? {} : { cluster }), ...(project === undefined ? {} : { project }) },
    // Another verdict is another finding: nothing is removed on the strength of what was found for another reason.
    since: isSame ? before.since : toTimestamp(now),
    ...judgement,
    ...(askedAfter === undefined ? {} : { askedAfter }),
  };
}

/** Whether its owner has looked after it shows where somebody answers, and would be waited for until then. */
function unasked({ askedAfter: _, ...finding }: SweepFinding): SweepFinding {
  return finding;
}

/** An owner that has run since, and left the resource as it was, has to be asked anew. */
function stillAsked({ askedAfter }: SweepFinding, owner: LiveOwner | undefined): string | undefined {
  return askedAfter === (owner?.lastRunId ?? NO_RUN) ? askedAfter : undefined;
}

function ownerOf(tags: ListedResource['tags']): string {
  return tags[OWNER_TAGS.infrastructureUid] ?? '';
}

function byKey(left: SweepFinding, right: SweepFinding): number {
  return resourceKey(left) < resourceKey(right) ? -1 : 1;
}
