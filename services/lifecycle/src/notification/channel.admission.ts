import { isIP } from 'node:net';
import { apiVersionOf, NOTIFICATION_CHANNEL, PROJECT, type NotificationChannel, type Project } from '@crate/api';
import { hasCode, invalidSpec, type ErrorCause } from '@crate/errors';
import type { TypedClient } from '@crate/resource-client';
import type { AdmissionHook, AdmissionRequest, AdmissionResult } from '@crate/resource-server';
import {
  holdsNothing,
  isSameSecrets,
  newFingerprint,
  type ChannelSecrets,
  type ChannelSecretStore,
} from './channel-secrets.js';
import { withoutSecrets } from './channel-without-secrets.js';
import type { AddressGuard } from './delivery/address-guard.js';
import { secretsAfter } from './stated-secrets.js';

/** Held until nothing is kept of the channel. */
export const NOTIFICATION_CHANNEL_FINALIZER = 'lifecycle.crate.dev/notificationchannels';

export interface ChannelAdmissionParts {
  readonly secrets: ChannelSecretStore;
  readonly projects: Pick<TypedClient<Project>, 'find'>;
  readonly guard: AddressGuard;
  /** Whether the configuration names networks that webhooks may be in without TLS. */
  readonly mayBePlain: boolean;
}

/**
 * Takes secrets out of every write before it is stored and puts them where they are encrypted; those that a write does not state stay as
 * they are. Ties the channel to its Project, with which it goes.
 */
export function channelAdmission(parts: ChannelAdmissionParts): AdmissionHook {
  return async (request) => {
    if (request.operation === 'DELETE') return undefined;
    const channel = request.object as NotificationChannel;
    const old = request.oldObject as NotificationChannel | undefined;
    // What goes is not judged any more, and its secrets may be gone already.
    if (channel.metadata.deletionTimestamp && old)
      return { object: withoutSecrets(channel, old.spec.secretsFingerprint) };
    return admitWrite(request, channel, old, parts);
  };
}

async function admitWrite(
  { dryRun }: AdmissionRequest,
  channel: NotificationChannel,
  old: NotificationChannel | undefined,
  parts: ChannelAdmissionParts,
): Promise<AdmissionResult> {
  const before = old ? await storedSecrets(old, parts.secrets) : {};
  const { secrets, causes } = secretsAfter(channel.spec, { spec: old?.spec, secrets: before });
  const all = [...addressCauses(channel, parts), ...causes];
  if (all.length > 0) throw invalid(channel, all);
  const fingerprint = await kept(secrets);
  const object = withoutSecrets(channel, fingerprint);
  return { object: { ...object, metadata: { ...object.metadata, ...(await ties(channel, old, parts.projects)) } } };

  async function kept(after: ChannelSecrets): Promise<string | undefined> {
    if (holdsNothing(after)) return undefined;
    if (before && isSameSecrets(after, before)) return old?.spec.secretsFingerprint;
    return dryRun ? newFingerprint() : parts.secrets.put(channel.metadata, after);
  }
}

/** Undefined for what does not open: stating it again puts it right. */
async function storedSecrets(
  channel: NotificationChannel,
  secrets: ChannelSecretStore,
): Promise<ChannelSecrets | undefined> {
  try {
    return await secrets.of(channel);
  } catch (error) {
    if (hasCode(error, 'Invariant')) return undefined;
    throw error;
  }
}

/** What can be known of an address without looking it up; the rest is judged when it is connected to. */
function addressCauses({ spec }: NotificationChannel, { guard, mayBePlain }: ChannelAdmissionParts): ErrorCause[] {
  return (['webhook', 'slack'] as const).flatMap((type) => {
    const text = spec[type]?.url;
    if (text === undefined) return [];
    const field = `spec.${type}.url`;
    const { protocol, hostname } = new URL(text);
    const host = hostname.replace(/^\[|\]$/g, '');
    if (protocol === 'http:' && !mayBePlain) return [cause(field, 'must be an https:// URL')];
    if (isIP(host) === 0 || guard.allows(host)) return [];
    return [cause(field, 'must be at a public address; operators allow others by CRATE_NOTIFICATION_ALLOWED_NETWORKS')];
  });
}

/**
 * To its Project alone: whatever else owned the channel would keep it beyond that. One that an earlier Project of the name left stays
 * that one's, so that no label makes it tell others' events to those who once made it.
 */
async function ties(
  { metadata }: NotificationChannel,
  old: NotificationChannel | undefined,
  projects: ChannelAdmissionParts['projects'],
): Promise<Partial<NotificationChannel['metadata']>> {
  const project = await projects.find(metadata.namespace ?? '');
  const former = old?.metadata.ownerReferences?.find(({ kind }) => kind === PROJECT.kind);
  const owner =
    former ??
    (project && {
      apiVersion: apiVersionOf(PROJECT),
      kind: PROJECT.kind,
      name: project.metadata.name,
      uid: project.metadata.uid,
    });
  // From the first write on, so that no channel can vanish before its secrets did.
  const finalizers = [...new Set([...(metadata.finalizers ?? []), NOTIFICATION_CHANNEL_FINALIZER])];
  return { ...(owner ? { ownerReferences: [owner] } : {}), ...(old ? {} : { finalizers }) };
}

function cause(field: string, message: string): ErrorCause {
  return { reason: 'FieldValueInvalid', field, message };
}

function invalid({ metadata: { name } }: NotificationChannel, causes: readonly ErrorCause[]): Error {
  const { group, kind } = NOTIFICATION_CHANNEL;
  const lines = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  return invalidSpec(`${kind}.${group} "${name}" is invalid: ${lines}`, causes, { group, kind, name });
}
