import { badRequest, PlatformError, type ErrorCause } from '@crate/errors';
import type { KindInfo, ListOptions, WatchOptions } from '@crate/resource-client';
import { parseFieldSelector, parseLabelSelector } from '@crate/resource-store';
import { statedRevision } from '../local-api/local-list.js';
import { flag, parameter, wholeNumber } from './exchange.js';
import type { ResourcePath } from './request-path.js';
import { refuseUnknownFields } from './selectable-fields.js';

type Match = NonNullable<ListOptions['resourceVersionMatch']>;

const MATCHES: readonly string[] = ['Exact', 'NotOlderThan'] satisfies Match[];

/** A timer that is to run longer runs out at once: 24 days. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The parameters of a list. Throws for combinations that Kubernetes refuses too.
 * Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export function listOptions(query: URLSearchParams, path: ResourcePath, kind: KindInfo): ListOptions {
  refuse(listFaults(query));
  const limit = wholeNumber(query, 'limit');
  const token = parameter(query, 'continue');
  return {
    ...selectors(query, path, kind),
    ...(limit === undefined || limit === 0 ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
    ...revision(query, Boolean(limit)),
  };
}

/** The parameters of a watch; throws as `listOptions` does. */
export function watchOptions(query: URLSearchParams, path: ResourcePath, kind: KindInfo): WatchOptions {
  refuse(watchFaults(query));
  const resourceVersion = parameter(query, 'resourceVersion');
  statedRevision(resourceVersion);
  const timeoutSeconds = wholeNumber(query, 'timeoutSeconds');
  const isInitial = parameter(query, 'sendInitialEvents') !== undefined;
  return {
    ...selectors(query, path, kind),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(timeoutSeconds ? { timeoutMs: Math.min(timeoutSeconds * 1000, LONGEST_TIMEOUT_MS) } : {}),
    ...(isInitial ? { sendInitialEvents: flag(query, 'sendInitialEvents') } : {}),
    allowBookmarks: flag(query, 'allowWatchBookmarks'),
  };
}

/** Malformed ones are refused here, before a watch has said that all is well. */
function selectors(query: URLSearchParams, { namespace, name }: ResourcePath, kind: KindInfo): ListOptions {
  const labelSelector = parameter(query, 'labelSelector');
  const stated = parameter(query, 'fieldSelector');
  parseLabelSelector(labelSelector);
  refuseUnknownFields(parseFieldSelector(stated), kind);
  // A watch on one object by its path is the watch on its type with its name selected.
  const fieldSelector = [stated, name && `metadata.name=${name}`].filter(Boolean).join(',');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === '' ? {} : { fieldSelector }),
  };
}

/** Without a stated match, a revision means that very one for a page and no older one for a whole list. */
function revision(
  query: URLSearchParams,
  isPage: boolean,
): Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch'> {
  const resourceVersion = parameter(query, 'resourceVersion');
  if (resourceVersion === undefined) return {};
  if (statedRevision(resourceVersion) === undefined) return { resourceVersion };
  if (parameter(query, 'continue') !== undefined) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const stated = parameter(query, 'resourceVersionMatch') as Match | undefined;
  return { resourceVersion, resourceVersionMatch: stated ?? (isPage ? 'Exact' : 'NotOlderThan') };
}

/** Source: ValidateListOptions in https://github.com/kubernetes/apimachinery/tree/master/pkg/apis/meta/internalversion/validation */
function listFaults(query: URLSearchParams): ErrorCause[] {
  const faults: ErrorCause[] = [];
  const match = parameter(query, 'resourceVersionMatch');
  if (parameter(query, 'sendInitialEvents') !== undefined) {
    faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (match === undefined) return faults;
  if (parameter(query, 'resourceVersion') === undefined) {
    faults.push(onMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (parameter(query, 'continue') !== undefined) {
    faults.push(onMatch('resourceVersionMatch is forbidden when continue is provided'));
  }
  if (!MATCHES.includes(match)) faults.push(unsupportedMatch(match, MATCHES));
  if (match === 'Exact' && parameter(query, 'resourceVersion') === '0') {
    faults.push(onMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return faults;
}

function watchFaults(query: URLSearchParams): ErrorCause[] {
  const faults: ErrorCause[] = [];
  const match = parameter(query, 'resourceVersionMatch');
  const isInitial = parameter(query, 'sendInitialEvents') !== undefined;
  if (isInitial && match === undefined) {
    faults.push(onMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === undefined) return faults;
  if (!isInitial)
    faults.push(onMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  if (match !== 'NotOlderThan') faults.push(unsupportedMatch(match, ['NotOlderThan']));
  if (parameter(query, 'continue') !== undefined) {
    faults.push(onMatch('resourceVersionMatch is forbidden when continue is provided'));
  }
  return faults;
}

function onMatch(text: string): ErrorCause {
  return forbidden('resourceVersionMatch', text);
}

function forbidden(field: string, text: string): ErrorCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${text}`, field };
}

function unsupportedMatch(match: string, supported: readonly string[]): ErrorCause {
  const values = supported.map((value) => JSON.stringify(value)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(match)}: supported values: ${values}`;
  return { reason: 'FieldValueNotSupported', message, field: 'resourceVersionMatch' };
}

function refuse(causes: readonly ErrorCause[]): void {
  if (causes.length === 0) return;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const why = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  throw new PlatformError('InvalidSpec', `ListOptions.meta.k8s.io "" is invalid: ${why}`, {
    details: { group: 'meta.k8s.io', kind: 'ListOptions', causes },
  });
}
