import type { KindDefinition, KubeObject, StateDiff } from '@crate/api';
import type { ResourceApi } from '@crate/resource-client';
import type { SecretFacts, SecretVersion } from '@crate/secrets';

/** Who puts an older version in place, and why. */
export interface RestoreEdit {
  readonly by: string;
  readonly reason: string;
}

/** A comparison without what names it. */
export type StateComparison = Pick<StateDiff, 'from' | 'to' | 'omittedChanges'> & {
  readonly resources: readonly (Omit<StateDiff['resources'][number], 'changes'> & {
    readonly changes: readonly StateDiff['resources'][number]['changes'][number][];
  })[];
};

/** States of which every version is kept, one series for each object of a kind; what `StateVersionApi` stands on. */
export interface VersionedStates<T extends KubeObject = KubeObject> {
  /** Of the versions. */
  readonly definition: KindDefinition;
  /** Of the objects whose state it is. */
  readonly owner: KindDefinition<T>;
  readonly owners: ResourceApi;
  /** Field of a version's spec that refers to the owner. */
  readonly ownerField: string;
  /** Newest first. */
  list(owner: T): Promise<readonly SecretVersion[]>;
  /** What the spec says beside what all versions have. */
  describe(facts: SecretFacts): Record<string, unknown>;
  /** Throws NotFound for a version that is not kept, Conflict for one that is damaged. */
  diff(owner: T, from: number, to: number): Promise<StateComparison>;
  /** Throws Conflict while anybody works on the state. Gives the serial of the new version. */
  restore(owner: T, serial: number, edit: RestoreEdit): Promise<number>;
}
