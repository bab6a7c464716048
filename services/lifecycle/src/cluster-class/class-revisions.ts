import {
  apiVersionOf,
  CLUSTER_CLASS,
  CLUSTER_CLASS_REVISION,
  type ClassContent,
  type ClusterClass,
  type ClusterClassRevision,
} from '@crate/api';
import { hasCode } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import { jsonEqual } from '@crate/resource-server';

const RACES_BEFORE_GIVING_UP = 5;

/** Finds a revision by the name of its class and its number. */
export type RevisionLookup = (className: string, revision: number) => Promise<ClusterClassRevision | undefined>;

/** The states a class was in, oldest first by number; the newest is always what the class is now. */
export class ClassRevisions {
  constructor(private readonly revisions: TypedClient<ClusterClassRevision>) {}

  /** Undefined when the class never had it, or it was pruned. */
  async find(className: string, revision: number): Promise<ClusterClassRevision | undefined> {
    const found = await this.revisions.find(revisionName(className, revision));
    return found?.spec.classRef.name === className ? found : undefined;
  }

  /** The same, asking for each revision once. */
  remembered(): RevisionLookup {
    const known = new Map<string, Promise<ClusterClassRevision | undefined>>();
    return (className, revision) => {
      const name = revisionName(className, revision);
      const found = known.get(name) ?? this.find(className, revision);
      known.set(name, found);
      return found;
    };
  }

  /** Oldest first. */
  async list(className: string): Promise<readonly ClusterClassRevision[]> {
    const found = await this.revisions.list({ fieldSelector: `spec.classRef.name=${className}` });
    return found.toSorted((left, right) => left.spec.revision - right.spec.revision);
  }

  /**
   * The revision that is what the class is now; recorded unless it is already. Whoever needs it first records it, so a
   * cluster that comes right after its class gets the class as it was written. Idempotent; a dry run records nothing.
   */
  async current(owner: ClusterClass, dryRun = false): Promise<ClusterClassRevision> {
    const content = contentOf(owner.spec);
    for (let race = 1; ; race += 1) {
      const newest = await this.newest(owner);
      if (newest && jsonEqual(contentOf(newest.spec), content)) return newest;
      const draft = draftOf(owner, (newest?.spec.revision ?? 0) + 1, content);
      if (dryRun) return { ...draft, metadata: { ...owner.metadata, ...draft.metadata } };
      try {
        return await this.revisions.create(draft);
      } catch (error) {
        if (!hasCode(error, 'AlreadyExists') || race === RACES_BEFORE_GIVING_UP) throw error;
      }
    }
  }

  /** Forgets a revision; one that is gone already counts as forgotten. */
  async remove(revision: ClusterClassRevision): Promise<void> {
    await this.revisions.remove(revision.metadata.name);
  }

  private async newest({ metadata, status }: ClusterClass): Promise<ClusterClassRevision | undefined> {
    const isSettled = status?.revision !== undefined && status.observedGeneration === metadata.generation;
    const known = isSettled ? await this.find(metadata.name, status.revision as number) : undefined;
    return known ?? (await this.list(metadata.name)).at(-1);
  }
}

/** Name of the object that keeps one revision of a class. */
export function revisionName(className: string, revision: number): string {
  return `${className}-${revision}`;
}

/** The part of a class that clusters are made of. */
export function contentOf(spec: ClassContent): ClassContent {
  const { parameters, template, constraints, locked, deletionProtection } = spec;
  return {
    ...(parameters === undefined ? {} : { parameters }),
    template,
    constraints,
    locked,
    ...(deletionProtection === undefined ? {} : { deletionProtection }),
  };
}

type RevisionDraft = Pick<ClusterClassRevision, 'apiVersion' | 'kind' | 'spec'> & {
  readonly metadata: Pick<ClusterClassRevision['metadata'], 'name' | 'ownerReferences'> & object;
};

function draftOf(owner: ClusterClass, revision: number, content: ClassContent): RevisionDraft {
  const { name, uid } = owner.metadata;
  const reference = { apiVersion: apiVersionOf(CLUSTER_CLASS), kind: CLUSTER_CLASS.kind, name, uid, controller: true };
  return {
    apiVersion: apiVersionOf(CLUSTER_CLASS_REVISION),
    kind: CLUSTER_CLASS_REVISION.kind,
    metadata: { name: revisionName(name, revision), ownerReferences: [reference] },
    spec: { classRef: { name }, revision, ...content },
  };
}
