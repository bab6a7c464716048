import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Cluster, ClusterClass, ClusterClassRevision, FieldChange } from '@crate/api';
import { toCause } from '@crate/resource-server';
import { distanceOf, type Distance } from '../cluster/cluster.versions.js';
import { isHeld } from './class-marks.js';
import type { CompiledClass } from './class-content.js';
import type { RevisionLookup } from './class-revisions.js';
import { brokenConstraints, wholeSpec, type ClassResolver, type Resolution } from './class-resolver.js';
import { formatSpecPath, isImmutable } from './spec-path.js';
import { SpecTree } from './spec-tree.js';
import { StatedFields } from './stated-fields.js';

/** How a cluster stands to the newest revision of its class. */
export interface ClassState {
  /** Revision that the spec is resolved with. */
  readonly revision: number | undefined;
  readonly newestRevision: number;
  /** The revision is stated in the spec, or somebody moved the cluster back to it. */
  readonly isPinned: boolean;
  /** What the newest revision would change. */
  readonly changes: readonly FieldChange[];
  /** What the newest revision asks for and an existing cluster cannot become. */
  readonly notApplicable: readonly FieldChange[];
  /** Why the newest revision cannot take the cluster as it is; absent when it can. */
  readonly refusal?: string;
  /** Why a move to the newest revision would be too much at once; absent when it is not. */
  readonly distance?: Distance;
  /** What admission had against the move when the rollout last tried; it may be otherwise by now. */
  readonly refused?: string;
}

/** Clusters looked at before other work of the process gets its turn. */
const AT_A_TIME = 20;

/** What a cluster may be resolved with. */
export interface Target {
  readonly compiled: CompiledClass;
  readonly revision: number;
}

/** Looks what classes would change in clusters that exist. Writes nothing. */
export class ClassPreview {
  constructor(private readonly resolver: ClassResolver) {}

  /** Undefined when the cluster has no class, or that is gone. */
  async stateOf(cluster: Cluster): Promise<ClassState | undefined> {
    const { classRef } = cluster.spec;
    const owner = classRef && (await this.resolver.classes.find(classRef.name));
    return owner && this.stateUnder(cluster, this.target(await this.resolver.revisions.current(owner)));
  }

  /** The newest revision of a class, recorded or not. */
  async newest(owner: ClusterClass): Promise<Target> {
    return this.target(await this.resolver.revisions.current(owner, true));
  }

  /** A revision as a target. */
  target(revision: ClusterClassRevision): Target {
    return { compiled: this.resolver.compiledOf(revision), revision: revision.spec.revision };
  }

  /** Under content that may not be stored yet. Of many clusters, revisions are looked up once in `lookup`. */
  async stateUnder(cluster: Cluster, target: Target, lookup?: RevisionLookup): Promise<ClassState> {
    const given = await this.resolver.givenTo(cluster, lookup);
    const resolution = this.resolver.resolveWith(cluster, { cluster, given }, target);
    const isLeft = isPinned(cluster, target.revision);
    return {
      revision: cluster.spec.classRef?.revision,
      newestRevision: target.revision,
      isPinned: isLeft,
      ...outcome(cluster, resolution, target),
      ...(isLeft ? {} : lastRefusal(cluster, target)),
    };
  }

  /** The states of many clusters, in their order. */
  async statesUnder(clusters: readonly Cluster[], target: Target): Promise<readonly StandingCluster[]> {
    const lookup = this.resolver.revisions.remembered();
    const standing: StandingCluster[] = [];
    for (const cluster of clusters) {
      standing.push({ cluster, state: await this.stateUnder(cluster, target, lookup) });
      if (standing.length % AT_A_TIME === 0) await othersTurn();
    }
    return standing;
  }
}

/** True for a cluster that rollouts leave at the revision it has. */
export function isPinned(cluster: Cluster, newestRevision: number): boolean {
  return StatedFields.of(cluster).hasRevision || isHeld(cluster, newestRevision);
}

/** A cluster and how it stands. */
export interface StandingCluster {
  readonly cluster: Cluster;
  readonly state: ClassState;
}

type Outcome = Pick<ClassState, 'changes' | 'notApplicable' | 'refusal' | 'distance'>;

function outcome(cluster: Cluster, { spec, given, errors }: Resolution, target: Target): Outcome {
  const notApplicable = unreachable(cluster, given);
  if (errors.length > 0) return { changes: [], notApplicable, refusal: errors.map(describe).join(', ') };
  const whole = wholeSpec(spec);
  if (!whole) return { changes: [], notApplicable, refusal: 'The spec that the class would give is invalid' };
  const changes = differences(SpecTree.of(cluster.spec), SpecTree.of(whole));
  // What is there already was judged when it came.
  const broken = isAt(cluster, target) ? [] : brokenConstraints(target.compiled, { ...cluster, spec: whole });
  const refusal = broken.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const version = versionIn(changes);
  const distance = version === undefined ? undefined : distanceOf(version, cluster);
  return { changes, notApplicable, ...(refusal === '' ? {} : { refusal }), ...(distance ? { distance } : {}) };
}

/** The version of Kubernetes that changes bring, where they bring another. */
export function versionIn(changes: readonly FieldChange[]): string | undefined {
  const version = changes.find(({ field }) => field === 'spec.kubernetes.version')?.to;
  return typeof version === 'string' ? version : undefined;
}

/** Until a move succeeds, be it to a revision on the way: then the cluster is not where it was when that was told. */
function lastRefusal({ spec, status }: Cluster, target: Target): Pick<ClassState, 'refused'> {
  const { revision, refused } = status?.class ?? {};
  const isThere = spec.classRef?.revision === revision;
  return refused?.revision === target.revision && isThere ? { refused: refused.message } : {};
}

function isAt({ spec }: Cluster, { revision }: Target): boolean {
  return spec.classRef?.revision === revision;
}

function describe(error: Parameters<typeof toCause>[0]): string {
  const { field, message } = toCause(error);
  return `${field}: ${message}`;
}

/** Field by field, sorted by field. */
function differences(now: SpecTree, then: SpecTree): readonly FieldChange[] {
  const paths = SpecTree.from([...now.leaves, ...then.leaves]).leaves.map(({ path }) => path);
  return paths
    .filter((path) => !now.agrees(then, path))
    .map((path) => changeOf(`spec.${formatSpecPath(path)}`, now.at(path), then.at(path)))
    .sort((left, right) => (left.field < right.field ? -1 : 1));
}

function unreachable(cluster: Cluster, given: SpecTree): readonly FieldChange[] {
  const live = SpecTree.of(cluster.spec);
  const stated = StatedFields.of(cluster);
  return given.leaves
    .filter(({ path }) => isImmutable(path) && !stated.has(path) && !live.agrees(given, path))
    .map(({ path, value }) => changeOf(`spec.${formatSpecPath(path)}`, live.at(path), value));
}

function changeOf(field: string, from: unknown, to: unknown): FieldChange {
  return { field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** Why a cluster is not moved to the newest revision at once, for people. */
export function distanceText(distance: Distance): string {
  return distance === 'later'
    ? 'Kubernetes goes up one minor version at a time'
    : 'Kubernetes does not go back to an earlier minor version';
}

/** A change for people: `spec.kubernetes.version: "v1.31.4" -> "v1.31.8"`. */
export function changeText({ field, from, to }: FieldChange): string {
  return `${field}: ${from === undefined ? 'nothing' : JSON.stringify(from)} -> ${to === undefined ? 'nothing' : JSON.stringify(to)}`;
}

/** The first changes for people, and how many more there are. */
export function changesText(changes: readonly FieldChange[], shown: number): string {
  const rest = changes.length - shown;
  const texts = changes.slice(0, shown).map(changeText);
  return [...texts, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}
