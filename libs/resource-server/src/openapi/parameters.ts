type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };
const WHOLE: Schema = { type: 'integer', minimum: 0 };

/** A query parameter. */
export function query(name: string, schema: Schema, description: string): JsonObject {
  return { name, in: 'query', description, schema };
}

const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values });

const DRY_RUN = query('dryRun', oneOf('All'), '"All": everything is checked, nothing is stored');
const FIELD_SELECTOR = query('fieldSelector', TEXT, 'Only objects with these fields, such as metadata.name=demo');
const LABEL_SELECTOR = query('labelSelector', TEXT, 'Only objects with these labels, such as tier=web,env!=test');
const LIMIT = query('limit', WHOLE, 'Most objects in one answer; 0: as many as the server gives at once');
const CONTINUE = query('continue', TEXT, 'Token of the page before');

/** Of what may be asked for as a Table. */
export const INCLUDE_OBJECT = query(
  'includeObject',
  oneOf('None', 'Metadata', 'Object'),
  'Table: what rows have of their object',
);

/** Of every operation that answers with a document. */
export const PRETTY = query('pretty', FLAG, 'Indents JSON for people');

/** How written objects are treated. */
export const WRITE_PARAMETERS: readonly JsonObject[] = [
  DRY_RUN,
  query('fieldManager', { ...TEXT, maxLength: 128 }, 'Name under which the written fields are owned'),
  query('fieldValidation', oneOf('Ignore', 'Warn', 'Strict'), 'What unknown and duplicate fields lead to'),
];

/** Of a patch: besides, whether server-side apply may take fields over. */
export const PATCH_PARAMETERS: readonly JsonObject[] = [
  ...WRITE_PARAMETERS,
  query('force', FLAG, 'Server-side apply only: takes over fields that other managers own'),
];

/** Of a deletion; the body may say the same. */
export const DELETE_PARAMETERS: readonly JsonObject[] = [
  DRY_RUN,
  query('gracePeriodSeconds', WHOLE, 'Taken for the sake of clients; deletion follows the finalizers'),
  query('propagationPolicy', oneOf('Background', 'Foreground', 'Orphan'), 'What becomes of objects that this one owns'),
  query('orphanDependents', FLAG, 'Older way to say propagationPolicy=Orphan'),
];

/** What has to hold for the deletion of one object; the body may say the same. */
export const PRECONDITION_PARAMETERS: readonly JsonObject[] = [
  query('uid', TEXT, 'Deletes this very object, and none that was made anew under its name'),
  query('resourceVersion', TEXT, 'Deletes the object only while this is its version'),
];

/** Which objects a list shows or a deletion takes. */
export const SELECTION_PARAMETERS: readonly JsonObject[] = [LABEL_SELECTOR, FIELD_SELECTOR, LIMIT, CONTINUE];

/** Of a list. */
export const LIST_PARAMETERS: readonly JsonObject[] = [
  ...SELECTION_PARAMETERS,
  query('resourceVersion', TEXT, 'List: not older than this version. Watch: changes after it'),
  query('resourceVersionMatch', oneOf('Exact', 'NotOlderThan'), 'How resourceVersion is meant'),
  INCLUDE_OBJECT,
];

/** Of a watch, besides those of a list. */
export const WATCH_PARAMETERS: readonly JsonObject[] = [
  query('watch', FLAG, 'Changes as they happen instead of a list'),
  query('sendInitialEvents', FLAG, 'Watch: starts with what exists, then a bookmark'),
  query('allowWatchBookmarks', FLAG, 'Watch: versions that nothing changed at are told now and then'),
  query('timeoutSeconds', WHOLE, 'Watch: ends after this time'),
];

/** Of an object, where a watch of it is offered. */
export const OBJECT_WATCH_PARAMETERS: readonly JsonObject[] = [
  ...WATCH_PARAMETERS,
  LABEL_SELECTOR,
  FIELD_SELECTOR,
  query('resourceVersion', TEXT, 'Watch: changes after it'),
  query('resourceVersionMatch', oneOf('NotOlderThan'), 'Watch: goes with sendInitialEvents'),
];

/** Of a log. */
export const LOG_PARAMETERS: readonly JsonObject[] = [
  query('follow', FLAG, 'Goes on with what is added, until the log is complete'),
  query('tailLines', WHOLE, 'Only so many of the last lines'),
  query('sinceSeconds', WHOLE, 'Only what was logged within this time'),
  query('sinceTime', { type: 'string', format: 'date-time' }, 'Only what was logged after this time'),
  query('timestamps', FLAG, 'Each line begins with its time'),
];

const path = (name: string, description: string, schema: Schema): JsonObject => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});

/** The Project, or in other Kubernetes-shaped servers the namespace, that a path leads into. */
export const NAMESPACE = path('namespace', 'Namespace of the object: the name of its Project', {
  type: 'string',
  maxLength: 63,
});

/** The object a path leads to. */
export const NAME = path('name', 'Name of the object', { type: 'string', maxLength: 253 });
import type { JsonObject } from '@crate/api';
