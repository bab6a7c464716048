import { z } from 'zod';
import { COMPONENT_CHANNELS } from './component.js';

/** Semantic Versioning without build metadata. Source: https://semver.org */
const VERSION =
  /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?$/;

const version = z.string().regex(VERSION, 'must be a semantic version such as 1.4.2');

const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'must be a digest such as sha256:4f53cda1…, with 64 hexadecimal digits');

/** Fields that are not known here are left out: the index is signed, and an installation that is older than its newest release has to read it. */
const release = z.object({
  version,
  channel: z.enum(COMPONENT_CHANNELS),
  releasedAt: z.iso.datetime(),
  /** The oldest version that may go there in one step. */
  upgradeFrom: version.optional(),
  /** The oldest version that runs on the schemas which this one leaves; absent: nobody goes back from it. */
  downgradeTo: version.optional(),
  /** Closes a hole: nobody should wait. */
  isSecurity: z.boolean().default(false),
  summary: z.string().max(500).optional(),
  notes: z.url({ protocol: /^https$/ }).optional(),
  /** Digests of images, by the component that each is of; absent: its tag alone says which image it is. */
  images: z.record(z.string(), digest).optional(),
});

/** The index of releases, as it is issued. Installations read it with releases that do not fit left out: those may be of a later form. */
export const releaseIndexSchema = z.object({
  kind: z.literal('ReleaseIndex'),
  /** Grows with each issue: an older one is not taken again. */
  serial: z.int().min(1),
  /** From then on it says nothing any more: whoever keeps an old one from being replaced is noticed. */
  expiresAt: z.iso.datetime(),
  releases: z.array(release).max(1_000),
});

/** A release that an installation read of. */
export type Release = z.output<typeof release>;

/** The index as an installation read it. */
export type ReleaseIndex = z.output<typeof releaseIndexSchema>;

/** The index as it is written. */
export type IssuedReleaseIndex = z.input<typeof releaseIndexSchema>;
