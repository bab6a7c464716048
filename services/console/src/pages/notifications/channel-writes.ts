import type { NotificationChannel, NotificationTest } from '@crate/api';
import { apiFetch, apiJson } from '../../api/http.js';
import { collectionPath, KINDS, objectPath } from '../../api/paths.js';
import { specOf, type ChannelDraft } from './channel-draft.js';

const OF = KINDS.notificationChannel;
const QUERY = '?fieldValidation=Strict';

/** What a form is about. */
export interface ChannelForm {
  readonly project: string;
  /** As it was when the form was opened; absent: a new one. */
  readonly before?: NotificationChannel | undefined;
}

/**
 * Makes the channel, or changes it when nobody else did since it was read; `isDry`: only judges it. Secrets that are
 * left out stay as they are stored. Throws ApiError.
 */
export function saveChannel(
  { project, before }: ChannelForm,
  draft: ChannelDraft,
  { isDry = false, signal }: { readonly isDry?: boolean; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const query = `${QUERY}${isDry ? '&dryRun=All' : ''}`;
  const spec = specOf(draft);
  if (!before) {
    const { group, version, kind } = OF;
    const body = { apiVersion: `${group}/${version}`, kind, metadata: { ...draft.metadata, namespace: project }, spec };
    return apiJson(`${collectionPath(OF, project)}${query}`, { method: 'POST', body, signal });
  }
  const operations = [
    { op: 'test', path: '/spec', value: before.spec },
    { op: 'replace', path: '/spec', value: spec },
  ];
  return apiJson(`${pathOf(before)}${query}`, {
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    body: operations,
    signal,
  });
}

/** Throws ApiError. */
export function pauseChannel(channel: NotificationChannel, paused: boolean): Promise<unknown> {
  return apiJson(pathOf(channel), {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { paused } },
  });
}

/** Sends a test message, and tells what came of it. Throws ApiError. */
export function testChannel(channel: NotificationChannel): Promise<NotificationTest> {
  return apiJson<NotificationTest>(pathOf(channel, 'test'), { method: 'POST', body: {} });
}

/** Of the channel that was read, and no other of its name. Throws ApiError. */
export function removeChannel(channel: NotificationChannel): Promise<unknown> {
  return apiFetch(pathOf(channel), { method: 'DELETE', body: { preconditions: { uid: channel.metadata.uid } } });
}

function pathOf({ metadata: { name, namespace } }: NotificationChannel, subresource?: string): string {
  return objectPath(OF, name, namespace, subresource);
}
