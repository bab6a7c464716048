import type { KindInfo } from '@crate/resource-client';
import { z } from 'zod';

/** How often a replica says that it is there. */
export const ANNOUNCE_EVERY_MS = 15_000;

/** What announcements look like on the wire. */
export const announcementSchema = z.object({
  /** One run of one process. */
  replica: z.string().min(1),
  kinds: z.array(
    z.looseObject({
      group: z.string(),
      version: z.string(),
      kind: z.string(),
      plural: z.string(),
      namespaced: z.boolean(),
      schema: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** What a replica announces. */
export interface Announcement {
  readonly replica: string;
  readonly kinds: readonly KindInfo[];
}

/** Throws when it is malformed. */
export function parseAnnouncement(value: unknown): Announcement {
  return announcementSchema.parse(value) as unknown as Announcement;
}
