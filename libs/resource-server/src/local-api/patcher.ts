import { type KubeObject, isJsonObject, type JsonObject } from '@crate/api';
import { apiVersionOf } from '@crate/api';
import { badRequest, hasCode, PlatformError } from '@crate/errors';
import type { PatchOptions, PatchType, ResourceRef, WriteResult } from '@crate/resource-client';
import { isBuiltInGroup } from '../apply/built-in-groups.js';
import { documentOf } from '../apply/claimed-fields.js';
import { checkStated } from '../apply/check-stated.js';
import { type ManagerKey, Managers } from '../apply/managed-fields.js';
import { applyFields, managersOf, ownablePart } from '../apply/ownership.js';
import { jsonPatch } from '../patch/json-patch.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { mergePatch } from '../patch/merge-patch.js';
import { strategicMergePatch } from '../patch/strategic-merge-patch.js';
import { partOf } from './candidate.js';
import { checkType, modified, named } from './identity.js';
import type { Desired, WriteRequest, Writer } from './writer.js';

export interface PatchRequest extends WriteRequest {
  readonly options: PatchOptions;
}

/** Races between "absent, so create" and "exists, so update" before an apply gives up. */
const APPLY_ATTEMPTS = 10;

/** Turns patches into writes. */
export class Patcher {
  constructor(private readonly writer: Writer) {}

  async patch(request: PatchRequest, ref: ResourceRef, patch: unknown): Promise<WriteResult> {
    const { kind, options } = request;
    if (options.type === 'apply') return this.apply(request, ref, patch);
    if (options.force) throw badRequest('force may only be set for an apply patch');
    const claims = options.type === 'json' ? documentOf(patch) : isJsonObject(patch) ? patch : {};
    return this.writer.update(request, ref, (live) => {
      const patched = patchedBy(options.type, live, patch, kind);
      checkType(kind, patched);
      return { object: named(patched, ref), claims };
    });
  }

  private async apply(request: PatchRequest, ref: ResourceRef, patch: unknown): Promise<WriteResult> {
    const stated = checkApply(request, ref, patch);
    const { subresource, mayCreate = true } = request.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.writer.update(request, ref, (live) => applied(request, live, stated));
      } catch (error) {
        if (!hasCode(error, 'NotFound') || subresource || !mayCreate) throw error;
      }
      try {
        return await this.writer.create(request, createdByApply(request, stated));
      } catch (error) {
        if (!hasCode(error, 'AlreadyExists') || attempt === APPLY_ATTEMPTS) throw error;
      }
    }
  }
}

function patchedBy(type: PatchType, live: KubeObject, patch: unknown, kind: RegisteredKind): unknown {
  switch (type) {
    case 'json':
      return jsonPatch(live, patch);
    case 'strategic':
      if (isBuiltInGroup(kind.definition.group)) return strategicMergePatch(live, patch, kind.fields);
      throw new PlatformError('UnsupportedMediaType', 'custom resources take no strategic merge patch');
    default:
      return mergePatch(live, patch);
  }
}

function checkApply({ kind, options }: PatchRequest, ref: ResourceRef, patch: unknown): KubeObject {
  if (!options.fieldManager) {
    const causes = [
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ];
    const message = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch';
    throw new PlatformError('InvalidSpec', message, { details: { causes } });
  }
  checkType(kind, patch);
  const stated = named(patch, ref);
  if ((stated.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil');
  checkStated(ownablePart(stated, partOf(kind, options)), kind.fields);
  return stated;
}

function applied(request: PatchRequest, live: KubeObject, stated: KubeObject): Desired {
  const { object, managers } = merge(request, live, managersOf(live), stated);
  const { name, namespace, uid, resourceVersion } = stated.metadata;
  const metadata = { ...(isJsonObject(object.metadata) ? object.metadata : {}), name, namespace, uid, resourceVersion };
  const { apiVersion, kind } = live;
  return { object: { ...object, apiVersion, kind, metadata } as unknown as KubeObject, managers };
}

function createdByApply(request: PatchRequest, stated: KubeObject): Desired {
  if (stated.metadata.uid || stated.metadata.resourceVersion) {
    throw modified(
      request.kind,
      stated.metadata.name,
      'the object does not exist, but the patch names its uid or resourceVersion',
    );
  }
  return { object: stated, managers: merge(request, {}, Managers.NONE, stated).managers };
}

function merge(
  { kind, options }: PatchRequest,
  live: JsonObject,
  managers: Managers,
  stated: KubeObject,
): { readonly object: JsonObject; readonly managers: Managers } {
  const part = partOf(kind, options);
  const applier: ManagerKey = {
    name: options.fieldManager ?? '',
    operation: 'Apply',
    apiVersion: apiVersionOf(kind.definition),
    subresource: options.subresource ?? '',
  };
  return applyFields({
    live: ownablePart(live, part),
    stated: ownablePart(stated, part),
    schema: kind.fields,
    managers,
    applier,
    force: options.force ?? false,
  });
}
