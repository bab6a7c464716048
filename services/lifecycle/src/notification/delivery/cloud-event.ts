import { CloudEvent, HTTP } from 'cloudevents';
import type { Telling } from '../telling.js';

/** What a message says, whichever way it goes. */
export interface Notice {
  /** The same in every attempt. */
  readonly id: string;
  readonly telling: Telling;
  readonly occurrences: number;
  /** Where to look in the console; absent while nobody knows where that is. */
  readonly link?: string;
}

/** Type of the CloudEvent, such as `dev.crate.cluster.QuotaExceeded`. */
export function cloudEventType({ object, reason }: Pick<Telling, 'object' | 'reason'>): string {
  return `dev.crate.${object.kind.toLowerCase()}.${reason}`;
}

/** The message in structured mode: body and content type. The same notice gives the same bytes. */
export function structuredCloudEvent({ id, telling, occurrences, link }: Notice): {
  readonly contentType: string;
  readonly body: string;
} {
  const { project, object, lastAt, severity, ...rest } = telling;
  const event = new CloudEvent({
    id,
    type: cloudEventType(telling),
    source: `/apis/lifecycle.crate.dev/v1alpha1/namespaces/${project}`,
    subject: `${object.kind.toLowerCase()}/${object.name}`,
    time: new Date(lastAt).toISOString(),
    severity: severity.toLowerCase(),
    data: { project, object, severity, ...rest, lastAt, occurrences, ...(link === undefined ? {} : { link }) },
  });
  const { headers, body } = HTTP.structured(event);
  return { contentType: String(headers['content-type']), body: String(body) };
}
