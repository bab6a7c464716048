import { valid } from 'semver';
import { z } from 'zod';
import type { WantedInstallation } from '../installer.js';
import { parseImage } from './image-reference.js';
import { imageOf, type StatefulSet } from './workload.js';

/** Annotation of a StatefulSet while an upgrade of it is under way. */
export const UPGRADE_ANNOTATION = 'components.crate.dev/upgrade';

/** The chart's own version, where its images are told by digest or by a tag that is none. */
const VERSION_LABEL = 'app.kubernetes.io/version';

const installed = z.object({ version: z.string(), image: z.string() });
const upgradeRecord = z.object({ from: installed, to: installed, stage: z.enum(['Canary', 'All']) });

/** What an upgrade goes from and to, image by image: the way back is to exactly what was there. */
export type UpgradeRecord = z.output<typeof upgradeRecord>;

/** Undefined while no upgrade is under way; what is damaged counts as absent. */
export function recordOf({ metadata }: StatefulSet): UpgradeRecord | undefined {
  try {
    return upgradeRecord.parse(JSON.parse(metadata.annotations?.[UPGRADE_ANNOTATION] ?? ''));
  } catch {
    return undefined;
  }
}

/** Version that an image has: what an upgrade says of it, or its tag, or what the chart says of the whole set. Pure. */
export function versionOf(image: string, set: StatefulSet): string {
  const { from, to } = recordOf(set) ?? {};
  const known = [from, to].find((each) => each?.image === image);
  if (known) return known.version;
  const { tag = '' } = parseImage(image);
  return valid(tag) ?? set.metadata.labels?.[VERSION_LABEL] ?? tag;
}

/** What images of a component are told by. */
export interface KnownImages {
  readonly set: StatefulSet;
  readonly component: string;
  /** What the signed index says of a version's image; undefined: nothing. */
  readonly digestOf: (version: string) => string | undefined;
}

/**
 * Image that a version has: the one that is known of it, or its tag in the same repository, with the digest that was signed, so that a
 * registry cannot put another one under the tag. Pure.
 */
export function imageFor(version: string, { set, component, digestOf }: KnownImages): string {
  const { from, to } = recordOf(set) ?? {};
  const current = imageOf(set.spec.template.spec.containers, component);
  const known = [from, to, { version: versionOf(current, set), image: current }];
  const found = known.find((each) => each?.version === version);
  if (found) return found.image;
  const digest = digestOf(version);
  return `${parseImage(current).repository}:${version}${digest === undefined ? '' : `@${digest}`}`;
}

/**
 * What is to be remembered of it on the way; undefined when it is no way. One that is held is remembered as what it is a part of, which
 * releases before it can read. Pure.
 */
export function recordFor({ version, next }: WantedInstallation, images: KnownImages): UpgradeRecord | undefined {
  if (!next) return undefined;
  const known = (each: string): UpgradeRecord['from'] => ({ version: each, image: imageFor(each, images) });
  return { from: known(version), to: known(next.version), stage: next.stage === 'Canary' ? 'Canary' : 'All' };
}
