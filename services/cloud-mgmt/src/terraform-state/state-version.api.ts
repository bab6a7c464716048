import {
  INFRASTRUCTURE,
  STATE_VERSION,
  stateDiffRequest,
  stateRestoreRequest,
  type Infrastructure,
  type KubeList,
  type KubeObject,
  type StateVersion,
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
import { parsedBody } from './request-body.js';
import type { StateHistory } from './state-history.js';
import { listStateVersions, versionsOf, type StateVersionSource } from './state-version.pages.js';
import { parseStateVersionName, stateDiffOf } from './state-version.view.js';

export interface StateVersionApiParts extends StateVersionSource {
  readonly history: Pick<StateHistory, 'list' | 'diff' | 'restore'>;
  /** Told after a version was put in place: what there is has to be planned for anew. */
  readonly onRestore: (infrastructure: Infrastructure, restored: StateRestored) => Promise<void>;
}

/** What was done, for people. */
export interface StateRestored {
  readonly from: number;
  readonly serial: number;
  readonly by: string;
  readonly reason: string;
}

interface Found {
  readonly infrastructure: Infrastructure;
  readonly version: StateVersion;
  /** Newest first. */
  readonly all: readonly StateVersion[];
}

/** Versions of Terraform states as objects: a view of what is stored encrypted. */
export class StateVersionApi extends ViewApi {
  constructor(private readonly parts: StateVersionApiParts) {
    super(STATE_VERSION);
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    return (await this.find(ref, context)).version;
  }

  override list(_type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    return listStateVersions(this.parts, options, context);
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

  private async diff(ref: ResourceRef, asked: number | undefined, context: CallContext): Promise<unknown> {
    const { infrastructure, version, all } = await this.find(ref, context);
    const { serial } = version.spec;
    const from = asked ?? all[all.indexOf(version) + 1]?.spec.serial;
    if (from === undefined) throw nothingBefore(ref.name);
    return stateDiffOf(version, await this.parts.history.diff(infrastructure.metadata.uid, from, serial));
  }

  private async restore(ref: ResourceRef, write: SubresourceWrite, context: CallContext): Promise<KubeObject> {
    const { reason } = parsedBody(stateRestoreRequest, write.body);
    const { infrastructure, version } = await this.find(ref, context);
    if (write.dryRun) return version;
    const { uid, name } = infrastructure.metadata;
    const owner = { uid, knownSerial: infrastructure.status?.stateSerial ?? 0 };
    const by = context.caller.user;
    const { serial: from } = version.spec;
    const serial = await this.parts.history.restore(owner, from, { by, reason });
    await this.parts.onRestore(infrastructure, { from, serial, by, reason });
    return this.get({ ...ref, name: `${name}.${serial}` }, context);
  }

  private async find({ name, namespace }: ResourceRef, context: CallContext): Promise<Found> {
    const parts = parseStateVersionName(name);
    const infrastructure = parts && (await this.infrastructureNamed(parts.infrastructure, namespace, context));
    const all = infrastructure ? await versionsOf(this.parts.history, infrastructure) : [];
    const version = all.find(({ spec }) => spec.serial === parts?.serial);
    if (!infrastructure || !version) throw notFound(STATE_VERSION.plural, name, STATE_VERSION.group);
    return { infrastructure, version, all };
  }

  private async infrastructureNamed(
    name: string,
    namespace: string | undefined,
    context: CallContext,
  ): Promise<Infrastructure | undefined> {
    const { group, version, plural } = INFRASTRUCTURE;
    const ref = { group, version, plural, name, ...(namespace === undefined ? {} : { namespace }) };
    return (await findObject(this.parts.infrastructures, ref, context)) as Infrastructure | undefined;
  }
}

function nothingBefore(name: string): PlatformError {
  return new PlatformError('NotFound', `No version before ${name} is kept`, {
    details: { causes: [{ reason: 'NoVersionBefore', message: 'Name another version as "from"' }] },
  });
}
