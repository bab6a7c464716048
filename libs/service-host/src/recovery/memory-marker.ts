import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const content = z.record(z.string(), z.int().min(0));

/** Newest revision of each schema, as it was noted last. */
export type NotedRevisions = Readonly<Record<string, number>>;

/** What was noted, or why nothing is known of it. */
export type Noted = { readonly revisions: NotedRevisions } | { readonly why: string };

/** A file outside the database that remembers how far the database has come. */
export class MemoryMarker {
  constructor(readonly file: string) {}

  /** Never throws: a lost note must not keep a service from starting. */
  async read(): Promise<Noted> {
    try {
      return { revisions: content.parse(JSON.parse(await readFile(this.file, 'utf8'))) };
    } catch (error) {
      return { why: (error as Error).message };
    }
  }

  /** The whole file is there or the old one is. Replicas of one host may share it: what one notes a moment late does no harm. */
  async note(revisions: NotedRevisions): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.${randomUUID()}.tmp`;
    await writeFile(draft, `${JSON.stringify(revisions)}\n`, { mode: 0o600, flush: true });
    await rename(draft, this.file);
  }
}
