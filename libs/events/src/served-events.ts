import {
  apiVersionOf,
  EVENT,
  EVENT_V1,
  eventV1Of,
  storedEventFields,
  type EventObject,
  type KubeObject,
} from '@crate/api';
import type { ResourceApi } from '@crate/resource-client';
import type { ServedKind } from '@crate/resource-server';
import { EventsApi, type EventView } from './events-api.js';

const V1_VIEW: EventView = {
  apiVersion: apiVersionOf(EVENT_V1),
  show: (event: KubeObject) => (isBookmark(event) ? bookmarkOf(event) : eventV1Of(event as EventObject)),
  storedFields: storedEventFields,
};

/** Events by the name and in the words that they are stored in, read-only. */
export function servedEvents(stored: ResourceApi): ServedKind {
  return { definition: EVENT, api: new EventsApi(stored) };
}

/** The same events once more as `events.k8s.io/v1`. */
export function servedEventsV1(stored: ResourceApi): ServedKind {
  return { definition: EVENT_V1, api: new EventsApi(stored, V1_VIEW) };
}

/** A bookmark of a watch has the shape of an object, and nothing in it but a version. */
function isBookmark(event: KubeObject): boolean {
  return event['involvedObject'] === undefined;
}

function bookmarkOf(event: KubeObject): KubeObject {
  return { ...event, apiVersion: apiVersionOf(EVENT_V1) };
}
