import { createHash } from 'node:crypto';
import type { AttributeDrift, DriftStatus, KeptAttribute, ResourceDrift } from '@crate/api';
import { toTimestamp } from '@crate/api';
import type { AttributeDifference, DriftedResource } from '@crate/terraform';

/** A status is read with every list of the kind. */
const MOST_RESOURCES = 30;
const MOST_CHARACTERS = 16 * 1024;
/** One resource alone fits in any case. */
const MOST_ATTRIBUTES = 20;
const LONGEST_VALUE = 256;
const DIGEST_LENGTH = 12;

export interface DriftStatusOptions {
  /** What is known of an earlier comparison. */
  readonly before: DriftStatus | undefined;
  readonly kept: readonly KeptAttribute[];
  readonly now: Date;
  /** Takes secrets out of texts. */
  readonly redact?: (text: string) => string;
}

/** What was found as people read it: sorted, bounded, and since when. Undefined when there is nothing to tell. Pure. */
export function driftStatusOf(
  found: readonly DriftedResource[],
  { before, kept: known, now, redact = (text) => text }: DriftStatusOptions,
): DriftStatus | undefined {
  if (found.length === 0 && known.length === 0) return undefined;
  // A document that was stored comes back with its fields in another order, which must not make another digest.
  const kept = known.map(({ address, path }) => ({ address, path }));
  const all = found
    .map(({ attributes, id, ...resource }) => ({
      ...resource,
      ...(id === undefined ? {} : { id }),
      attributes: attributes.map((attribute) => shown(attribute, redact)),
    }))
    .sort((left, right) => left.address.localeCompare(right.address));
  const resources = bounded(all.map(withFewAttributes));
  const digestOf = (since: string): string => hash(JSON.stringify([since, all, kept])).slice(0, DIGEST_LENGTH);
  // The same found again is the same drift; the same found after it was gone is another one, about which nobody has decided.
  const isSame = before !== undefined && before.digest === digestOf(before.since);
  const since = isSame ? before.since : toTimestamp(now);
  return {
    since,
    digest: digestOf(since),
    resources,
    omitted: all.length - resources.length,
    ...(kept.length === 0 ? {} : { kept }),
  };
}

/**
 * What is left of a drift once its attributes are kept: objects that are missing, which cannot be, and what there was no room to show,
 * which nobody has seen. Pure.
 */
export function keptDrift({ resources, omitted, kept = [] }: DriftStatus, now: Date): DriftStatus | undefined {
  const more = resources.flatMap(({ address, attributes }) => attributes.map(({ path }) => ({ address, path })));
  const missing = resources.filter(({ kind }) => kind === 'missing').map(asFound);
  const left = driftStatusOf(missing, { before: undefined, kept: unique([...kept, ...more]), now });
  const cut = resources.filter(({ omittedAttributes = 0 }) => omittedAttributes > 0);
  return left && { ...left, omitted: omitted + cut.length };
}

/** What is left of a drift once everything was put back but what is kept. Pure. */
export function putBack(drift: DriftStatus | undefined, now: Date): DriftStatus | undefined {
  return driftStatusOf([], { before: drift, kept: drift?.kept ?? [], now });
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function asFound({ address, type, id, kind }: ResourceDrift): DriftedResource {
  return { address, type, id, kind, attributes: [] };
}

function unique(kept: readonly KeptAttribute[]): readonly KeptAttribute[] {
  return [...new Map(kept.map((each) => [`${each.address} ${each.path}`, each])).values()];
}

function withFewAttributes(resource: ResourceDrift): ResourceDrift {
  const { attributes } = resource;
  if (attributes.length <= MOST_ATTRIBUTES) return resource;
  const omittedAttributes = attributes.length - MOST_ATTRIBUTES;
  return { ...resource, attributes: attributes.slice(0, MOST_ATTRIBUTES), omittedAttributes };
}

function bounded(all: readonly ResourceDrift[]): ResourceDrift[] {
  let characters = 0;
  const fits = (resource: ResourceDrift): boolean => (characters += JSON.stringify(resource).length) <= MOST_CHARACTERS;
  const end = all.slice(0, MOST_RESOURCES).findIndex((resource) => !fits(resource));
  return all.slice(0, end < 0 ? MOST_RESOURCES : end);
}

function shown(
  { path, before, after, isSensitive }: AttributeDifference,
  redact: (text: string) => string,
): AttributeDrift {
  return {
    path,
    ...(before === undefined ? {} : { wanted: shortened(before, redact) }),
    ...(after === undefined ? {} : { found: shortened(after, redact) }),
    ...(isSensitive ? { isSensitive } : {}),
  };
}

/** A value that is too long, or has something in it that nobody may see, is shown as text. */
function shortened(value: unknown, redact: (text: string) => string): unknown {
  const plain = JSON.stringify(value);
  const safe = redact(plain);
  if (safe === plain && plain.length <= LONGEST_VALUE) return value;
  return safe.length <= LONGEST_VALUE ? safe : `${safe.slice(0, LONGEST_VALUE - 1)}…`;
}
