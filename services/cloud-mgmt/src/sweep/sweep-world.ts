import type { Infrastructure, SweepFinding } from '@crate/api';
import type { OwnedResource, Ownership } from '@crate/infra-aws';

/** The place of what has no region. */
export const GLOBAL = 'global';

/** Where nobody answered: nothing is known of what is there. */
export interface UnansweredPlace {
  /** A region, or `GLOBAL`. */
  readonly place: string;
  /** Why, in one line. */
  readonly message: string;
  /** The provider answers and refuses, as in a region that was closed: asking again soon changes nothing. */
  readonly isRefused: boolean;
}

/** A cloud resource as a listing of a region gives it. */
export interface ListedResource extends OwnedResource {
  readonly region: string;
}

/** An Infrastructure that exists. */
export interface LiveOwner {
  readonly infrastructure: Infrastructure;
  /** Uses this account. */
  readonly isHere: boolean;
  /**
   * What its stack and its state say about the resources that are listed under it. Undefined while a run goes on, or the next one is to come
   * in a moment and will look for lost resources, and in a deletion, which looks for itself.
   */
  readonly ownership: Ownership | undefined;
  /** Its next run looks for lost resources without being asked, whenever that comes. */
  readonly looksAnyway: boolean;
  /** Undefined without one. */
  readonly lastRunId: string | undefined;
}

/** An Infrastructure that is proven gone. */
export interface DeletedOwner {
  /** Name of the DeletionRecord. */
  readonly record: string;
  /** Ids that a person gave up in a forced deletion. */
  readonly abandoned: ReadonlySet<string>;
}

/** Everything that a sweep decides by. */
export interface SweepWorld {
  readonly installationId: string;
  readonly listed: readonly ListedResource[];
  readonly unanswered: readonly UnansweredPlace[];
  /** By uid. */
  readonly live: ReadonlyMap<string, LiveOwner>;
  /** By uid. */
  readonly deleted: ReadonlyMap<string, DeletedOwner>;
  /** Whether resources without an owner that lives are this account's to tell of: several CloudAccounts may mean the same one. */
  readonly isResponsible: (resource: ListedResource) => boolean;
  /** What the sweep before this one found. */
  readonly before: readonly SweepFinding[];
  readonly now: Date;
}

/** Names one resource; IAM has no regions, so the region is no part of it. */
export function resourceKey({ type, id }: Pick<OwnedResource, 'type' | 'id'>): string {
  return `${type}/${id}`;
}
