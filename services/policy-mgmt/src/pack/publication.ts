import { createHash } from 'node:crypto';
import type { Policy } from '@crate/api';
import type { PackedPolicy } from '@crate/policy-engine';
import { canonicalJson } from '@crate/resource-server';

/** Says by which publication of the packs that ship a rule is as it is: its number, and what was published. */
export const PUBLICATION_LABEL = 'policy.crate.dev/pack-publication';

/** The packs that ship as one release has them; another release that starts is the next one. */
export interface Publication {
  readonly number: number;
  readonly digest: string;
}

/** What a replica is to publish: what others published already, or the next. */
export function publicationOf(packed: readonly PackedPolicy[], stored: readonly Publication[]): Publication {
  const digest = digestOf(packed);
  const same = stored.filter((publication) => publication.digest === digest).map(({ number }) => number);
  const latest = Math.max(0, ...stored.map(({ number }) => number));
  return same.includes(latest) ? { number: latest, digest } : { number: latest + 1, digest };
}

export function publicationText({ number, digest }: Publication): string {
  return `${number}.${digest}`;
}

/** None for a rule that was published before there were numbers. */
export function publicationIn({ metadata: { labels } }: Policy): readonly Publication[] {
  const [, number, digest] = /^(\d+)\.(\w+)$/.exec(labels?.[PUBLICATION_LABEL] ?? '') ?? [];
  return number === undefined || digest === undefined ? [] : [{ number: Number(number), digest }];
}

function digestOf(packed: readonly PackedPolicy[]): string {
  const content = packed.map(({ pack, name, spec }) => ({ pack, name, spec }));
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 16);
}
