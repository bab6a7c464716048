import {
  stateDiffRequest,
  stateRestoreRequest,
  type KubeList,
  type KubeObject,
  type StateDiff,
  type WatchEvent,
} from '@crate/api';
import { notFound, PlatformError } from '@crate/errors';
import {
  findObject,
  ViewApi,
  type CallContext,
  type ListOptions,
  type ResourceRef,
  type ResourceType,
  type SubresourceWrite,
} from '@crate/resource-client';
import { parsedBody } from './parsed-body.js';
import { listStateVersions, versionsOf } from './state-version.pages.js';
import { parseStateVersionName, stateDiffOf, type ShownVersion } from './state-version.view.js';
import type { VersionedStates } from './versioned-states.js';

/** What was done, for people. */
export interface StateRestored {
  readonly from: number;
  readonly serial: number;
  readonly by: string;
  readonly reason: string;
}

interface Found<T> {
  readonly owner: T;
  readonly version: ShownVersion;
  /** Newest first. */
  readonly all: readonly ShownVersion[];
}

/** Versions of states as objects: a view of what is stored encrypted. */
export class StateVersionApi<T extends KubeObject> extends ViewApi {
  constructor(
    private readonly states: VersionedStates<T>,
    /** Told after a version was put in place: somebody has to go on from there. */
    private readonly onRestore: (owner: T, restored: StateRestored) => Promise<void>,
  ) {
    super(states.definition);
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return (await this.find(ref, context)).version;
  }

  override list(_type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    return listStateVersions(this.states, options, context);
  }

  override watch(): AsyncIterable<WatchEvent> {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(this.refusal()) }) };
  }

  override async readSubresource(ref: ResourceRef, subresource: string, context: CallContext): Promise<unknown> {
    if (subresource !== 'diff') return super.readSubresource(ref, subresource, context);
    return this.diff(ref, undefined, context);
  }

  override async writeSubresource(
    ref: ResourceRef,
    subresource: string,
    write: SubresourceWrite,
    context: CallContext,
  ): Promise<unknown> {
    if (write.verb === 'create' && subresource === 'diff')
      return this.diff(ref, parsedBody(stateDiffRequest, write.body).from, context);
    if (write.verb === 'create' && subresource === 'restore') return this.restore(ref, write, context);
    return super.writeSubresource(ref, subresource, write, context);
  }

  private async diff(ref: ResourceRef, asked: number | undefined, context: CallContext): Promise<StateDiff> {
    const { owner, version, all } = await this.find(ref, context);
    const { serial } = version.spec;
    const from = asked ?? all[all.indexOf(version) + 1]?.spec.serial;
    if (from === undefined) throw nothingBefore(ref.name);
    if (!all.some(({ spec }) => spec.serial === from)) throw this.notKept(`${owner.metadata.name}.${from}`);
    return stateDiffOf(this.states, version, await this.states.diff(owner, from, serial));
  }

  private async restore(ref: ResourceRef, write: SubresourceWrite, context: CallContext): Promise<KubeObject> {
    const { reason } = parsedBody(stateRestoreRequest, write.body);
    const { owner, version } = await this.find(ref, context);
    if (write.dryRun) return version;
    const by = context.caller.user;
    const { serial: from } = version.spec;
    const serial = await this.states.restore(owner, from, { by, reason });
    await this.onRestore(owner, { from, serial, by, reason });
    return this.get({ ...ref, name: `${owner.metadata.name}.${serial}` }, context);
  }

  private async find({ name, namespace }: ResourceRef, context: CallContext): Promise<Found<T>> {
    const parts = parseStateVersionName(name);
    const owner = parts && (await this.ownerNamed(parts.owner, namespace, context));
    const all = owner ? await versionsOf(this.states, owner) : [];
    const version = all.find(({ spec }) => spec.serial === parts?.serial);
    if (!owner || !version) throw this.notKept(name);
    return { owner, version, all };
  }

  private notKept(name: string): PlatformError {
    const { plural, group } = this.states.definition;
    return notFound(plural, name, group);
  }

  private async ownerNamed(name: string, namespace: string | undefined, context: CallContext): Promise<T | undefined> {
    const { group, version, plural } = this.states.owner;
    const ref = { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
    return (await findObject(this.states.owners, ref, context)) as T | undefined;
  }
}

function nothingBefore(name: string): PlatformError {
  return new PlatformError('NotFound', `No version before ${name} is kept`, {
    details: { causes: [{ reason: 'NoVersionBefore', message: 'Name another version as "from"' }] },
  });
}
