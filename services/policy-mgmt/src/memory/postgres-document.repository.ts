import { createHash } from 'node:crypto';
import type { SqlRunner } from '@crate/database';
import { hasCode } from '@crate/errors';
import { isKeyMissing, type SealedSecret } from '@crate/secrets';
import type { Logger } from '@crate/telemetry';
import {
  DocumentRepository,
  type DocumentDraft,
  type DocumentQuery,
  type DocumentSelector,
  type StageCount,
} from './document.repository.js';
import type { DocumentSealing } from './document.sealing.js';
import * as sql from './document.statements.js';
import { byKey, clustersOf, textOf, type ClusterKey, type DocumentKey } from './remembered-document.js';
import type { RememberedDocument } from './remembered-document.js';

/** Plans are large: so many are in memory at a time. */
const OPEN_AT_ONCE = 8;

interface DigestRow extends DocumentKey {
  readonly digest: Buffer;
  readonly key_id: string;
}

interface SealedRow extends DigestRow {
  readonly wrapped_key: Buffer;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly ciphertext: Buffer;
}

type GivenDraft = Required<DocumentDraft>;

/** What is looked for among all. */
interface Found {
  readonly cluster: ClusterKey | undefined;
  readonly stages: DocumentQuery['stages'] | undefined;
  readonly inProject: NonNullable<DocumentQuery['inProject']>;
  readonly isWhole: boolean;
}

/** Documents in the table `policy_documents`. */
export class PostgresDocumentRepository extends DocumentRepository {
  private readonly missing = new Set<string>();

  constructor(
    private readonly database: SqlRunner,
    private readonly sealing: DocumentSealing,
    private readonly logger: Logger,
  ) {
    super();
  }

  async save(drafts: readonly DocumentDraft[]): Promise<readonly ClusterKey[]> {
    const sorted = [...drafts].sort(byKey);
    const changed = await this.changedOf(sorted.filter(hasContent));
    const same = sorted.filter((draft) => !(changed as readonly DocumentDraft[]).includes(draft));
    if (same.length > 0) await this.noteDay(columns(same.map(({ key }) => key)));
    if (changed.length > 0) await this.store(changed);
    return clustersOf(changed.map(({ key }) => key));
  }

  async forget({ namespace, cluster, stage, kind, name }: DocumentSelector): Promise<readonly ClusterKey[]> {
    const values = [namespace, cluster ?? null, stage ?? null, kind ?? null, name ?? null];
    return clustersOf(await this.database.rows<ClusterKey & object>(sql.FORGET, values));
  }

  async removeUnseen(forMs: number): Promise<readonly ClusterKey[]> {
    return clustersOf(await this.database.rows(sql.REMOVE_UNSEEN, [forMs]));
  }

  async clusters(): Promise<readonly ClusterKey[]> {
    return this.database.rows(sql.CLUSTERS);
  }

  async digestOf({ namespace, cluster }: ClusterKey): Promise<string | undefined> {
    const rows = await this.database.rows<{ digest: Buffer }>(sql.DIGESTS, [namespace, cluster]);
    if (rows.length === 0) return undefined;
    const hash = createHash('sha256');
    for (const { digest } of rows) hash.update(digest);
    return hash.digest('hex');
  }

  open({
    cluster,
    stages,
    inProject = () => true,
    isWhole = false,
  }: DocumentQuery): AsyncGenerator<RememberedDocument> {
    return cluster && !stages
      ? this.openCluster(cluster, isWhole)
      : this.openFound({ cluster, stages, inProject, isWhole });
  }

  private async *openCluster({ namespace, cluster }: ClusterKey, isWhole: boolean): AsyncGenerator<RememberedDocument> {
    let last = { stage: '', kind: '', name: '' };
    for (;;) {
      const values = [namespace, cluster, last.stage, last.kind, last.name, OPEN_AT_ONCE];
      const rows = await this.database.rows<SealedRow>(sql.READ_NEXT, values);
      yield* this.openRows(rows, isWhole);
      const end = rows.at(-1);
      if (!end || rows.length < OPEN_AT_ONCE) return;
      last = end;
    }
  }

  private async *openFound({ cluster, stages, inProject, isWhole }: Found): AsyncGenerator<RememberedDocument> {
    const values = [cluster?.namespace ?? null, cluster?.cluster ?? null, stages ?? null];
    const found = await this.database.rows<DocumentKey & object>(sql.FIND_KEYS, values);
    const keys = found.filter(({ namespace }) => inProject(namespace));
    for (let at = 0; at < keys.length; at += OPEN_AT_ONCE) {
      const rows = await this.database.rows<SealedRow>(sql.READ, columns(keys.slice(at, at + OPEN_AT_ONCE)));
      yield* this.openRows(rows, isWhole);
    }
  }

  private async *openRows(rows: readonly SealedRow[], isWhole: boolean): AsyncGenerator<RememberedDocument> {
    for (const row of rows) {
      const document = await this.openRow(row, isWhole);
      if (document) yield document;
    }
  }

  async counts(): Promise<readonly StageCount[]> {
    return this.database.rows<StageCount & object>(sql.COUNTS);
  }

  private async changedOf(drafts: readonly GivenDraft[]): Promise<readonly GivenDraft[]> {
    const rows = await this.database.rows<DigestRow>(sql.STORED, columns(drafts.map(({ key }) => key)));
    const stored = new Map(rows.map((row) => [textOf(row), row]));
    const newest = await this.sealing.newestKeyId();
    const changed: GivenDraft[] = [];
    for (const draft of drafts) {
      const row = stored.get(textOf(draft.key));
      const isSame =
        row?.key_id === newest && row.digest.equals(await this.sealing.digest(draft.key, draft.content, newest));
      if (!isSame) changed.push(draft);
    }
    return changed;
  }

  /** Not of what cannot be read: if its key is gone for good, it would be in the way of its Cluster's report for good. */
  private async noteDay(keys: readonly string[][]): Promise<void> {
    const readable: string[] = [];
    for (const { key_id: keyId } of await this.database.rows<{ key_id: string }>(sql.KEYS_TO_NOTE, keys)) {
      if (await this.sealing.knows(keyId)) readable.push(keyId);
    }
    if (readable.length > 0) await this.database.execute(sql.NOTE_DAY, [...keys, readable]);
  }

  private async store(drafts: readonly GivenDraft[]): Promise<void> {
    const sealed: (SealedSecret & { readonly digest: Buffer })[] = [];
    for (const { key, content } of drafts) {
      const one = await this.sealing.seal(key, content);
      sealed.push({ ...one, digest: await this.sealing.digest(key, content, one.keyId) });
    }
    await this.database.execute(sql.SAVE, [
      ...columns(drafts.map(({ key }) => key)),
      sealed.map(({ digest }) => digest),
      sealed.map(({ keyId }) => keyId),
      sealed.map(({ wrappedKey }) => wrappedKey),
      sealed.map(({ iv }) => iv),
      sealed.map(({ tag }) => tag),
      sealed.map(({ ciphertext }) => ciphertext),
    ]);
  }

  /**
   * Undefined for a row that was tampered with: it goes, and the next review brings it back. One whose key is not there stays: the key may
   * come, and if it is gone for good, the next review seals the document anew.
   */
  private async openRow(row: SealedRow, isWhole: boolean): Promise<RememberedDocument | undefined> {
    const { namespace, cluster, stage, kind, name, digest } = row;
    const key = { namespace, cluster, stage, kind, name };
    const sealed = {
      keyId: row.key_id,
      wrappedKey: row.wrapped_key,
      iv: row.iv,
      tag: row.tag,
      ciphertext: row.ciphertext,
    };
    try {
      const request = await this.sealing.open(key, sealed);
      this.missing.delete(sealed.keyId);
      return { key, request };
    } catch (error) {
      if (isKeyMissing(error)) this.tellMissing(sealed.keyId);
      if (isKeyMissing(error) && !isWhole) return undefined;
      if (!hasCode(error, 'Invariant')) throw error;
      this.logger.warn('Forgetting a remembered document that does not open', { error, ...key });
      await this.database.execute(sql.REMOVE_DAMAGED, [namespace, cluster, stage, kind, name, digest]);
      return undefined;
    }
  }

  /** Told of once a key: there may be thousands under it. */
  private tellMissing(keyId: string): void {
    if (this.missing.has(keyId)) return;
    this.missing.add(keyId);
    this.logger.warn(
      'Remembered documents cannot be read, and reports of their Clusters stay as they are: a key is missing',
      {
        keyId,
      },
    );
  }
}

function hasContent(draft: DocumentDraft): draft is GivenDraft {
  return draft.content !== undefined;
}

function columns(keys: readonly DocumentKey[]): string[][] {
  return [
    keys.map(({ namespace }) => namespace),
    keys.map(({ cluster }) => cluster),
    keys.map(({ stage }) => stage),
    keys.map(({ kind }) => kind),
    keys.map(({ name }) => name),
  ];
}
