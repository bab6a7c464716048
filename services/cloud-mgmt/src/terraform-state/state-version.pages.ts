import {
  apiVersionOf,
  INFRASTRUCTURE,
  STATE_VERSION,
  type Infrastructure,
  type KubeList,
  type StateVersion,
} from '@crate/api';
import type { CallContext, ListOptions, ResourceApi } from '@crate/resource-client';
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@crate/resource-store';
import type { StateHistory } from './state-history.js';
import { parseStateVersionName, stateVersionOf } from './state-version.view.js';

/** Infrastructures that are read at a time where the client asks for no limit. */
const LONGEST_PAGE = 500;

export interface StateVersionSource {
  readonly infrastructures: ResourceApi;
  readonly history: Pick<StateHistory, 'list'>;
}

/**
 * One page of versions: those of `limit` Infrastructures, so a page may have more objects than that, or none; the token goes on with the
 * next Infrastructures.
 */
export async function listStateVersions(
  { infrastructures, history }: StateVersionSource,
  options: ListOptions,
  context: CallContext,
): Promise<KubeList<StateVersion>> {
  const labels = parseLabelSelector(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector);
  const { fieldSelector: _fields, labelSelector: _labels, ...rest } = options;
  const only = fields.flatMap(({ path, isEqual, value }) => (isEqual ? (ownerOf(path.join('.'), value) ?? []) : []))[0];
  const page = await infrastructures.list(
    INFRASTRUCTURE,
    {
      ...rest,
      limit: options.limit ?? LONGEST_PAGE,
      ...(only === undefined ? {} : { fieldSelector: `metadata.name=${escaped(only)}` }),
    },
    context,
  );
  const versions = await Promise.all(
    (page.items as readonly Infrastructure[]).map((each) => versionsOf(history, each)),
  );
  const items = versions
    .flat()
    .filter((version) => matchesLabels(labels, version.metadata.labels ?? {}) && matchesFields(fields, version));
  const metadata = withoutCount(page.metadata);
  return { apiVersion: apiVersionOf(STATE_VERSION), kind: `${STATE_VERSION.kind}List`, metadata, items };
}

/** Newest first. */
export async function versionsOf(
  history: Pick<StateHistory, 'list'>,
  infrastructure: Infrastructure,
): Promise<readonly StateVersion[]> {
  const versions = await history.list(infrastructure.metadata.uid);
  return versions.map((version, index) => stateVersionOf(infrastructure, version, index === 0));
}

/** The one Infrastructure that a requirement leaves; undefined when it leaves all. */
function ownerOf(field: string, value: string): string | undefined {
  if (field === 'spec.infrastructureRef.name') return value;
  return field === 'metadata.name' ? parseStateVersionName(value)?.infrastructure : undefined;
}

function escaped(value: string): string {
  return value.replace(/[\\=,]/g, (character) => `\\${character}`);
}

/** How many Infrastructures remain says nothing of how many versions do. */
function withoutCount({ remainingItemCount: _count, ...metadata }: KubeList['metadata']): KubeList['metadata'] {
  return metadata;
}
