import { createHash } from 'node:crypto';
import type { PolicyReviewRequest } from '@crate/api';
import type { Logger } from '@crate/telemetry';
import type { DocumentDraft, DocumentRepository, DocumentSelector } from './document.repository.js';
import { documentKeyOf, textOf, type ClusterKey, type DocumentKey } from './remembered-document.js';

/** What is noted is stored after this time: a busy second of reviews is a few statements. */
const GATHER_MS = 500;
/** What was just stored is not looked up again for this time; after it, what another replica wrote meanwhile is noticed. */
const TRUSTED_MS = 60_000;
const MOST_WAITING = 2_000;
const MOST_WAITING_CHARS = 16 * 1024 * 1024;
const MOST_TRUSTED = 20_000;
const SAVE_AT_ONCE = 200;

/** Names of Clusters and Projects: whatever else is reviewed belongs to nothing that a report could be about. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export interface DocumentMemoryOptions {
  readonly documents: DocumentRepository;
  readonly logger: Logger;
  /** Told of clusters whose documents changed. */
  readonly onChange: (clusters: readonly ClusterKey[]) => Promise<void>;
  /** Told how many documents there was no room for. */
  readonly onDrop?: (count: number) => void;
  readonly gatherMs?: number;
  readonly now?: () => number;
}

/** A document that waits to be stored; without content it is only to stay. */
interface Waiting extends DocumentDraft {
  readonly hash: string;
}

interface Trusted {
  readonly hash: string;
  readonly atMs: number;
}

/**
 * Remembers what reviews were about. Notes cost the reviewer no wait: they are gathered in memory and stored together. Losing them is harmless,
 * because whoever asked asks again on the next pass.
 */
export class DocumentMemory {
  private waiting = new Map<string, Waiting>();
  private waitingChars = 0;
  private readonly trusted = new Map<string, Trusted>();
  private timer: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly options: DocumentMemoryOptions) {}

  /** Takes note of what a review was about. Never throws, and never waits. */
  note(request: PolicyReviewRequest): void {
    const key = keyToRemember(request);
    if (!key) return;
    const { stage, document, subject } = request;
    const content = JSON.stringify({ stage, document, subject });
    const hash = createHash('sha256').update(content).digest('base64');
    const text = textOf(key);
    if (this.waiting.get(text)?.hash === hash) return;
    if (!this.waiting.has(text) && this.isTrusted(text, hash)) return;
    this.wait(text, { key, content, hash });
  }

  /** Takes note that what is remembered of such a document, if anything is, is there still. Never throws, and never waits. */
  renew(request: PolicyReviewRequest): void {
    const key = keyToRemember(request);
    if (key) this.keep(key);
  }

  /** As `renew`, of a document that nobody asks about. */
  keep(key: DocumentKey): void {
    const text = textOf(key);
    if (!this.waiting.has(text) && !this.isTrusted(text)) this.wait(text, { key, hash: '' });
  }

  /** Forgets documents whose owner is gone, also those not stored yet. Gives the clusters that it was about. */
  async forget(which: DocumentSelector): Promise<readonly ClusterKey[]> {
    for (const [text, { key }] of this.waiting) if (isSelected(key, which)) this.drop(text);
    for (const text of this.trusted.keys()) if (isSelected(keyIn(text), which)) this.trusted.delete(text);
    // What is on its way to the database must be there before it is removed.
    await this.work;
    const clusters = await this.options.documents.forget(which);
    if (clusters.length > 0) await this.options.onChange(clusters);
    return clusters;
  }

  /** Stores what waits; resolves when it is stored, or given up. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const drafts = [...this.waiting.values()];
    this.waiting = new Map();
    this.waitingChars = 0;
    this.work = this.work.then(() => this.save(drafts));
    await this.work;
  }

  private wait(text: string, draft: Waiting): void {
    this.drop(text);
    const { length } = draft.content ?? '';
    if (this.waiting.size >= MOST_WAITING || this.waitingChars + length > MOST_WAITING_CHARS) {
      this.options.onDrop?.(1);
      return;
    }
    this.waiting.set(text, draft);
    this.waitingChars += length;
    this.timer ??= setTimeout(() => void this.flush(), this.options.gatherMs ?? GATHER_MS).unref();
  }

  private drop(text: string): void {
    this.waitingChars -= this.waiting.get(text)?.content?.length ?? 0;
    this.waiting.delete(text);
  }

  private async save(drafts: readonly Waiting[]): Promise<void> {
    for (let at = 0; at < drafts.length; at += SAVE_AT_ONCE) {
      const some = drafts.slice(at, at + SAVE_AT_ONCE);
      try {
        const changed = await this.options.documents.save(some);
        this.trust(some);
        if (changed.length > 0) await this.options.onChange(changed);
      } catch (error) {
        this.options.onDrop?.(some.length);
        this.options.logger.warn('Failing to remember documents until they are asked about again', { error });
      }
    }
  }

  private isTrusted(text: string, hash?: string): boolean {
    const known = this.trusted.get(text);
    if (!known || (hash !== undefined && known.hash !== hash)) return false;
    return this.nowMs() - known.atMs < TRUSTED_MS;
  }

  private trust(drafts: readonly Waiting[]): void {
    const atMs = this.nowMs();
    for (const { key, hash } of drafts) {
      const text = textOf(key);
      this.trusted.delete(text);
      this.trusted.set(text, { hash, atMs });
    }
    // A Map gives its keys in the order they came: the oldest go.
    for (const text of this.trusted.keys()) {
      if (this.trusted.size <= MOST_TRUSTED) return;
      this.trusted.delete(text);
    }
  }

  private nowMs(): number {
    return this.options.now?.() ?? Date.now();
  }
}

/** Undefined for what is not to be remembered. */
function keyToRemember(request: PolicyReviewRequest): DocumentKey | undefined {
  if (request.dryRun || request.operation === 'DELETE') return undefined;
  const key = documentKeyOf(request);
  return NAME.test(key.namespace) && NAME.test(key.cluster) ? key : undefined;
}

function isSelected(key: DocumentKey, which: DocumentSelector): boolean {
  return Object.entries(which).every(([part, value]) => key[part as keyof DocumentKey] === value);
}

function keyIn(text: string): DocumentKey {
  const [namespace, cluster, stage, kind, name] = JSON.parse(text) as [
    string,
    string,
    DocumentKey['stage'],
    string,
    string,
  ];
  return { namespace, cluster, stage, kind, name };
}
