import { apiVersionOf, type KubeList, type KubeObject } from '@crate/api';
import type { CallContext, ListOptions } from '@crate/resource-client';
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from '@crate/resource-store';
import { parseStateVersionName, stateVersionOf, type ShownVersion } from './state-version.view.js';
import type { VersionedStates } from './versioned-states.js';

/** Owners that are read at a time where the client asks for no limit. */
const LONGEST_PAGE = 500;

/**
 * One page of versions: those of `limit` owners, so a page may have more objects than that, or none; the token goes on with the
 * next owners.
 */
export async function listStateVersions(
  states: VersionedStates,
  options: ListOptions,
  context: CallContext,
): Promise<KubeList<ShownVersion>> {
  const { definition } = states;
  const labels = parseLabelSelector(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector);
  const only = fields.flatMap(({ path, isEqual, value }) =>
    isEqual ? (ownerOf(states, path.join('.'), value) ?? []) : [],
  )[0];
  const page = await states.owners.list(states.owner, ownersOn(options, only), context);
  const versions = await Promise.all(page.items.map((each) => versionsOf(states, each)));
  const items = versions
    .flat()
    .filter((version) => matchesLabels(labels, version.metadata.labels ?? {}) && matchesFields(fields, version));
  const metadata = withoutCount(page.metadata);
  return { apiVersion: apiVersionOf(definition), kind: `${definition.kind}List`, metadata, items };
}

/** Newest first. */
export async function versionsOf(states: VersionedStates, owner: KubeObject): Promise<readonly ShownVersion[]> {
  const versions = await states.list(owner);
  return versions.map((version, index) => stateVersionOf(states, owner, version, index === 0));
}

function ownersOn(options: ListOptions, only: string | undefined): ListOptions {
  const { fieldSelector: _fields, labelSelector: _labels, ...rest } = options;
  const limit = options.limit ?? LONGEST_PAGE;
  return { ...rest, limit, ...(only === undefined ? {} : { fieldSelector: `metadata.name=${escaped(only)}` }) };
}

/** The one owner that a requirement leaves; undefined when it leaves all. */
function ownerOf({ ownerField }: VersionedStates, field: string, value: string): string | undefined {
  if (field === `spec.${ownerField}.name`) return value;
  return field === 'metadata.name' ? parseStateVersionName(value)?.owner : undefined;
}

function escaped(value: string): string {
  return value.replace(/[\\=,]/g, (character) => `\\${character}`);
}

/** How many owners remain says nothing of how many versions do. */
function withoutCount({ remainingItemCount: _count, ...metadata }: KubeList['metadata']): KubeList['metadata'] {
  return metadata;
}
