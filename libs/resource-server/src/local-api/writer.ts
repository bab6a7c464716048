import { randomUUID } from 'node:crypto';
import { type KubeObject, toTimestamp, type JsonObject } from '@crate/api';
import { alreadyExists, badRequest, hasCode, notFound, type PlatformError } from '@crate/errors';
import type { CallContext, ResourceRef, WriteOptions, WriteResult } from '@crate/resource-client';
import { digestOf, type ResourceStore, type StoreGuard } from '@crate/resource-store';
import { jsonEqual } from '../apply/json.js';
import type { Managers } from '../apply/managed-fields.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import type { AdmissionRequest } from '../kinds/served-kind.js';
import { type Admitted, isGuardChanged, runAdmission, runHooks, untilGuarded } from './admission.js';
import { changedObject, newObject, partOf } from './candidate.js';
import { nameFor } from './generate-name.js';
import { checkVersion, modified, storeKey } from './identity.js';
import { baseManagers, hasPreparation, stamp, stampPrepared, stampReturned, writerOf } from './stamp.js';
import { validate } from './validate.js';
import { WriteAttempt } from './write-attempt.js';

/** Wall-clock time; replaced in tests. */
export type Clock = () => Date;

/** Who writes what kind, and how. */
export interface WriteRequest {
  readonly kind: RegisteredKind;
  readonly options: WriteOptions;
  readonly context: CallContext;
}

/** The object a writer wants. `managers` is set when ownership has been worked out already (apply). */
export interface Desired {
  readonly object: KubeObject;
  readonly managers?: Managers;
  /** What a patch states: of what hooks fill in, that is stated from then on, also where it says the same. */
  readonly claims?: JsonObject;
}

type Judged = Required<Pick<AdmissionRequest, 'object' | 'attempt'>>;

interface Finished {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
  readonly guards: readonly StoreGuard[];
}

interface AttemptedWrite extends WriteRequest {
  readonly attempt: WriteAttempt;
}

const RACES_BEFORE_GIVING_UP = 20;
const NAMES_TO_TRY = 5;

/** Carries a write from a desired object to a stored one: validation, admission, ownership, concurrency. */
export class Writer {
  constructor(
    private readonly store: ResourceStore,
    private readonly clock: Clock,
  ) {}

  /** Stores a new object. With `generateName`, a taken name is replaced by another. */
  async create(request: WriteRequest, desired: Desired): Promise<WriteResult> {
    const { metadata } = desired.object;
    if (metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
    for (let attempt = 1; ; attempt += 1) {
      const object = { ...desired.object, metadata: { ...metadata, name: nameFor(metadata) } };
      try {
        return await this.decide(request, (decided) => this.createNamed(request, { ...desired, object }, decided));
      } catch (error) {
        const mayRename = !metadata.name && attempt < NAMES_TO_TRY && hasCode(error, 'AlreadyExists');
        if (!mayRename) throw error;
      }
    }
  }

  /**
   * Changes a stored object; `change` is asked again with the newer object when another write came between.
   * A change that makes no difference is not stored. Throws NotFound.
   */
  async update(request: WriteRequest, ref: ResourceRef, change: (live: KubeObject) => Desired): Promise<WriteResult> {
    return this.decide(request, (attempt) => this.updateLive({ ...request, attempt }, ref, change));
  }

  /** Hooks may judge by what they remember only what the commit looks at again. */
  private decide<T>({ options }: WriteRequest, write: (attempt: WriteAttempt) => Promise<T>): Promise<T> {
    const areStored = async (guards: readonly StoreGuard[]): Promise<boolean> => {
      const found = await Promise.all(
        guards.map(({ group, kind, namespace, name = '' }) => this.store.find({ group, kind, namespace, name })),
      );
      return guards.every(({ digest }, index) => digest === digestOf(found[index] ? [found[index]] : []));
    };
    return untilGuarded(write, { mayRemember: !options.dryRun, areStored });
  }

  /** The stored object in the version asked for; throws NotFound. */
  async getLive(kind: RegisteredKind, ref: ResourceRef): Promise<KubeObject> {
    return kind.present(await this.getStored(kind, ref));
  }

  private async getStored(kind: RegisteredKind, ref: ResourceRef): Promise<KubeObject> {
    const found = await this.store.find(storeKey(kind, ref));
    if (!found) throw notFound(kind.definition.plural, ref.name, kind.definition.group);
    return found;
  }

  private async updateLive(
    request: AttemptedWrite,
    ref: ResourceRef,
    change: (live: KubeObject) => Desired,
  ): Promise<WriteResult> {
    for (let race = 0; race < RACES_BEFORE_GIVING_UP; race += 1) {
      const seen = await this.getStored(request.kind, ref);
      const live = request.kind.present(seen);
      const desired = change(live);
      checkVersion(request.kind, live, desired.object);
      const attempt = race === 0 ? request.attempt : new WriteAttempt();
      const { object, warnings, guards } = await this.finish({ ...request, attempt }, desired, live);
      const result = { created: false, warnings };
      if (jsonEqual(object, live)) return { ...result, object: live };
      if (request.options.dryRun) return { ...result, object: asIfUpdated(live, object) };
      try {
        return { ...result, object: await this.store.update(object, { guards, seen }) };
      } catch (error) {
        if (!hasCode(error, 'Conflict') || isGuardChanged(error)) throw error;
      }
    }
    throw modified(request.kind, ref.name, 'too many other writes came between, try again');
  }

  private async createNamed(request: WriteRequest, desired: Desired, attempt: WriteAttempt): Promise<WriteResult> {
    const { kind, options } = request;
    const { object, warnings, guards } = await this.finish({ ...request, attempt }, desired, undefined);
    const result = { created: true, warnings };
    if (!options.dryRun)
      return { ...result, object: await this.store.create(object, { guards }).catch(inPlural(kind)) };
    const isTaken = (await this.store.find(storeKey(kind, object.metadata))) !== undefined;
    if (isTaken) throw alreadyExists(kind.definition.plural, object.metadata.name, kind.definition.group);
    return { ...result, object: this.asIfCreated(object) };
  }

  private async finish(request: AttemptedWrite, desired: Desired, live: KubeObject | undefined): Promise<Finished> {
    const { kind, options, attempt } = request;
    const part = partOf(kind, options);
    const document = live ? changedObject(live, desired.object, part) : newObject(desired.object, part, kind);
    const { managers, claims } = desired;
    const ownership = managers
      ? { managers, applier: writerOf(kind, 'Apply', request) }
      : { updater: writerOf(kind, 'Update', request), base: baseManagers(live, desired.object, part), claims };
    const isPrepared = hasPreparation(kind, part);
    const about = { kind, part, live, ownership, now: toTimestamp(this.clock()) };
    // What an apply states and nobody sees afterwards, such as a secret, is nobody's: the same of another one is no conflict.
    const isStamped = isPrepared || managers !== undefined;
    const stated = isStamped ? stamp({ ...about, final: document }) : document;
    const prepared = isPrepared
      ? await this.prepare(request, { object: stated, attempt }, live)
      : { object: document, warnings: [], guards: [], isReturn: false };
    const owned = prepared.isReturn ? stampReturned({ ...about, final: document }, desired.object) : stated;
    const candidate = prepared.object;
    const check = { kind, part, live, validation: options.fieldValidation ?? ('Strict' as const) };
    const valid = validate({ ...check, candidate, given: desired.object.metadata });
    const admitted =
      part === 'status'
        ? { object: valid.object, warnings: [], guards: [] }
        : await this.admit(request, { object: valid.object, attempt }, live);
    const isSame = jsonEqual(admitted.object, valid.object);
    const final = isSame ? admitted.object : validate({ ...check, candidate: admitted.object }).object;
    const object = isStamped ? stampPrepared({ ...about, final }, owned) : stamp({ ...about, final });
    const warnings = [...prepared.warnings, ...valid.warnings, ...admitted.warnings];
    return { object, warnings, guards: distinct([...prepared.guards, ...admitted.guards, ...attempt.guards]) };
  }

  private async prepare(
    { kind, options, context }: WriteRequest,
    judged: Judged,
    live: KubeObject | undefined,
  ): Promise<Admitted> {
    const about = { ...judged, context, dryRun: options.dryRun ?? false };
    return runHooks(
      kind.prepare ?? [],
      live ? { ...about, operation: 'UPDATE', oldObject: live } : { ...about, operation: 'CREATE' },
    );
  }

  private admit(request: WriteRequest, judged: Judged, live: KubeObject | undefined): Promise<Finished> {
    const { kind, options, context } = request;
    const about = { ...judged, context, dryRun: options.dryRun ?? false };
    return live
      ? runAdmission(kind, { ...about, operation: 'UPDATE', oldObject: live })
      : runAdmission(kind, { ...about, operation: 'CREATE' });
  }

  private asIfCreated(object: KubeObject): KubeObject {
    const creationTimestamp = toTimestamp(this.clock());
    const system = { uid: randomUUID(), generation: 1, creationTimestamp, resourceVersion: '' };
    return { ...object, metadata: { ...object.metadata, ...system } };
  }
}

function distinct(guards: readonly StoreGuard[]): readonly StoreGuard[] {
  if (guards.length < 2) return guards;
  const textOf = ({ group, kind, namespace, name, digest }: StoreGuard): string =>
    JSON.stringify([group, kind, namespace, name, digest]);
  return [...new Map(guards.map((guard) => [textOf(guard), guard])).values()];
}

/** What the store would make of an update, for a dry run. */
function asIfUpdated(live: KubeObject, object: KubeObject): KubeObject {
  const desiredState = ({ metadata: _metadata, status: _status, ...state }: KubeObject): unknown => state;
  const isMoved = !jsonEqual(desiredState(live), desiredState(object));
  return { ...object, metadata: { ...object.metadata, generation: live.metadata.generation + (isMoved ? 1 : 0) } };
}

/** The store knows kinds, people know plurals: `clusters.lifecycle.crate.dev "demo" already exists`. */
function inPlural({ definition }: RegisteredKind): (error: unknown) => never {
  return (error) => {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    const { name = '' } = (error as PlatformError).details;
    throw alreadyExists(definition.plural, name, definition.group);
  };
}
