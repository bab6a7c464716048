import { type KubeObject, type ObjectMeta, isJsonObject, type JsonObject } from '@crate/api';
import { PlatformError } from '@crate/errors';
import type { WriteOptions } from '@crate/resource-client';
import { isBlank, withoutNulls } from '../apply/json.js';
import type { Part } from '../apply/ownership.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import type { ServedKind } from '../kinds/served-kind.js';

/** The part of the object that a write touches; throws NotFound for a `status` that the kind has not. */
export function partOf(kind: RegisteredKind, options: WriteOptions): Part {
  if (options.subresource === undefined) return kind.definition.hasStatus ? 'main' : 'whole';
  if (kind.definition.hasStatus) return 'status';
  throw new PlatformError('NotFound', 'the server could not find the requested resource');
}

const UNOBSERVED = { observedGeneration: 0 };

/** A new object from a document: what the server owns is left out. */
export function newObject(document: KubeObject, part: Part, { isReconciled = false }: Partial<ServedKind>): KubeObject {
  const { status: stated, ...rest } = document;
  const status = part === 'whole' ? stated : isReconciled ? UNOBSERVED : undefined;
  const metadata = writableMetadata(document.metadata);
  return { ...rest, ...(status === undefined ? {} : { status }), metadata } as KubeObject;
}

/** The stored object with the written part exchanged; what the server owns stays. */
export function changedObject(live: KubeObject, document: KubeObject, part: Part): KubeObject {
  const { status: oldStatus, ...oldMain } = live;
  const { status, ...main } = document;
  if (part === 'status') return withStatus(oldMain, status);
  const { apiVersion, kind } = live;
  const metadata = { ...writableMetadata(document.metadata), ...systemMetadata(live.metadata) };
  return withStatus({ ...main, apiVersion, kind, metadata } as KubeObject, part === 'main' ? oldStatus : status);
}

/** An object's fields besides type and metadata; without the status when it is written apart. */
export function bodyOf(object: KubeObject, part: Part): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...body } = object;
  if (part === 'whole') return body;
  const { status, ...main } = body;
  if (part === 'main') return main;
  return status === undefined ? {} : { status };
}

/** The object with another body in place of the part that was written. */
export function withBody(object: KubeObject, body: JsonObject, part: Part): KubeObject {
  const { apiVersion, kind, metadata, ...old } = object;
  const kept = part === 'whole' ? {} : part === 'main' ? { status: old.status } : { ...old, status: undefined };
  const { status, ...rest } = { ...kept, ...body } as JsonObject;
  return { apiVersion, kind, metadata, ...rest, ...(status === undefined ? {} : { status }) };
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  return status === undefined || status === null ? object : { ...object, status };
}

function writableMetadata(metadata: Partial<ObjectMeta> | undefined): Partial<ObjectMeta> {
  const given = (isJsonObject(metadata) ? withoutNulls(metadata) : {}) as Partial<ObjectMeta>;
  const { name, namespace, generateName, labels, annotations, finalizers, ownerReferences } = given;
  const kept = { name, namespace, generateName, labels, annotations, finalizers, ownerReferences };
  // `labels: {}` says the same as no labels, so that stating it changes nothing.
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => !isBlank(value)));
}

function systemMetadata(live: ObjectMeta): Partial<ObjectMeta> {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, managedFields: _m, ...system } = live;
  return system;
}
