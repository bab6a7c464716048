import { setTimeout as delay } from 'node:timers/promises';
import { apiVersionOf, AUDIT_EVENT, type KubeList, type KubeObject, type WatchEvent } from '@crate/api';
import { hasCode, notFound, PlatformError } from '@crate/errors';
import {
  ReadOnlyApi,
  type CallContext,
  type ListOptions,
  type ResourceRef,
  type ResourceType,
  type WatchOptions,
} from '@crate/resource-client';
import type { HistoryStart } from '../access/history-start.js';
import { auditEventOf, parseName } from './audit-event.object.js';
import {
  formatContinuation,
  formatPosition,
  isOfEpochs,
  isWithin,
  parseContinuation,
  parsePosition,
  placeOf,
  type AuditEnds,
  type AuditPosition,
} from './audit-position.js';
import { selectedSince, selectionOf, type AuditSelection, type SelectionInput } from './audit-selection.js';
import type { MergedAudit, MergedRange } from './merged-audit.js';

const POLL_MS = 1_000;
const BOOKMARK_MS = 60_000;
/** Records of one answer where the client asks for no limit. */
const LONGEST_PAGE = 5_000;

/** The audit logs of all services as one read-only kind, ordered by time. */
export class AuditEventsApi extends ReadOnlyApi {
  constructor(
    private readonly audit: MergedAudit,
    private readonly startOf: HistoryStart,
    private readonly pollMs = POLL_MS,
  ) {
    super();
  }

  override async get(ref: ResourceRef, context: CallContext): Promise<KubeObject> {
    const { service, seq } = parseName(ref.name) ?? {};
    const index = this.audit.sources.findIndex((source) => source.service === service);
    if (index < 0 || seq === undefined) throw missing(ref.name);
    const after = this.audit.sources.map((_, n) => (n === index ? placeOf(seq - 1) : 0n));
    const upTo = this.audit.sources.map((_, n) => (n === index ? placeOf(seq) : 0n));
    const selection = await this.selected(ref.namespace === undefined ? {} : { namespace: ref.namespace }, context);
    for await (const object of this.events({ after, upTo, selection })) return object;
    throw missing(ref.name);
  }

  override async list(_type: ResourceType, options: ListOptions, context: CallContext): Promise<KubeList> {
    const count = this.audit.sources.length;
    const { continue: token, limit = LONGEST_PAGE } = options;
    const ends = await this.audit.ends();
    const { after, upTo } = token
      ? parseContinuation(token, count)
      : { after: ends.floors, upTo: shownUpTo(options, ends) };
    if (!isWithin(after, ends) || !isWithin(upTo, ends)) throw gone();
    const selection = await this.selected(options, context);
    const items: KubeObject[] = [];
    let reached: AuditPosition = upTo;
    let isMore = false;
    for await (const { object, position } of this.placed({ after, upTo, selection, pageRows: limit })) {
      isMore = items.length === limit;
      if (isMore) break;
      items.push(object);
      reached = position;
    }
    const next = isMore ? { continue: formatContinuation({ after: reached, upTo }) } : {};
    const metadata = { resourceVersion: formatPosition(upTo), ...next };
    return { apiVersion: apiVersionOf(AUDIT_EVENT), kind: `${AUDIT_EVENT.kind}List`, metadata, items };
  }

  override async *watch(_type: ResourceType, options: WatchOptions, context: CallContext): AsyncGenerator<WatchEvent> {
    const selection = await this.selected(options, context);
    const signal = endOf(options, context);
    const { sendInitialEvents, allowBookmarks } = options;
    const begin = this.beginningOf(options);
    let at: AuditPosition | undefined;
    let isTold = !sendInitialEvents;
    let markedAt = Date.now();
    while (!signal.aborted) {
      const ends = await this.patiently(signal, () => this.audit.ends());
      if (!ends) return;
      const after = at ?? begin(ends);
      // Looked at each time: a database may be set back at any.
      if (!isWithin(after, ends)) throw gone();
      const upTo = ends.heads;
      for await (const object of this.eventsPatiently({ after, upTo, selection }, signal)) {
        // The log may be long, and the time of the watch, or the right to it, over before its end.
        if (signal.aborted) return;
        yield { type: 'ADDED', object };
      }
      if (signal.aborted) return;
      at = upTo;
      if (!isTold || (allowBookmarks && Date.now() - markedAt >= BOOKMARK_MS)) {
        yield bookmark(upTo, !isTold);
        isTold = true;
        markedAt = Date.now();
      }
      await delay(this.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Where a watch begins, as one of objects that are stored does: without a version, or when asked to, with all there is. Throws Gone for a version
   * that is none of these logs.
   */
  private beginningOf(options: WatchOptions): (ends: AuditEnds) => AuditPosition {
    const { resourceVersion = '0', sendInitialEvents = resourceVersion === '0' } = options;
    if (sendInitialEvents) return ({ floors }) => floors;
    if (resourceVersion === '0') return ({ heads }) => heads;
    const position = parsePosition(resourceVersion, this.audit.sources.length);
    if (!position) throw gone();
    return () => position;
  }

  private async selected(wanted: SelectionInput, { caller }: CallContext): Promise<AuditSelection> {
    return selectedSince(selectionOf(wanted), await this.startOf(caller, wanted.namespace));
  }

  /** Where a service is away for a moment a watch waits; undefined when it ended meanwhile. */
  private async patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        await this.waitOut(error, signal);
      }
    }
    return undefined;
  }

  /** As `patiently`, and goes on behind the last one given. */
  private async *eventsPatiently(range: MergedRange, signal: AbortSignal): AsyncGenerator<KubeObject> {
    let { after } = range;
    while (!signal.aborted) {
      try {
        for await (const { object, position } of this.placed({ ...range, after })) {
          after = position;
          yield object;
        }
        return;
      } catch (error) {
        await this.waitOut(error, signal);
      }
    }
  }

  /** Throws what is more than a service that is away for a moment. */
  private async waitOut(error: unknown, signal: AbortSignal): Promise<void> {
    if (!hasCode(error, 'Unavailable', 'Timeout')) throw error;
    await delay(this.pollMs, undefined, { signal }).catch(() => undefined);
  }

  private async *events(range: MergedRange): AsyncGenerator<KubeObject> {
    for await (const { object } of this.placed(range)) yield object;
  }

  private async *placed(range: MergedRange): AsyncGenerator<{ object: KubeObject; position: AuditPosition }> {
    for await (const found of this.audit.records(range)) {
      const { position } = found;
      const object = auditEventOf(found);
      if (range.selection.name === undefined || range.selection.name === object.metadata.name)
        yield { object, position };
    }
  }
}

/**
 * Up to where a list shows the logs. Throws Timeout for a version beyond them, and Gone for one that is none of theirs, or from before a
 * database was set back: whoever has seen that would see less now.
 */
function shownUpTo({ resourceVersion = '0', resourceVersionMatch }: ListOptions, { heads }: AuditEnds): AuditPosition {
  if (resourceVersion === '0' || resourceVersion === '') return heads;
  const asked = parsePosition(resourceVersion, heads.length);
  if (!asked || !isOfEpochs(asked, { heads })) throw gone();
  if (asked.some((place, index) => place > (heads[index] ?? 0n))) throw tooLarge(resourceVersion);
  return resourceVersionMatch === 'Exact' ? asked : heads;
}

/** Reason and cause are what clients of Kubernetes look for. */
function tooLarge(resourceVersion: string): PlatformError {
  const [reason, message] = ['ResourceVersionTooLarge', 'Too large resource version'];
  const details = { reason, causes: [{ reason, message }], retryAfterMs: 1000 };
  return new PlatformError('Timeout', `${message}: ${resourceVersion}`, { details });
}

function gone(): PlatformError {
  return new PlatformError('Gone', 'This resource version is no longer in the audit log: list again', {
    details: { reason: 'Expired' },
  });
}

function missing(name: string): PlatformError {
  return notFound(AUDIT_EVENT.plural, name, AUDIT_EVENT.group);
}

function endOf({ timeoutMs }: WatchOptions, { signal }: CallContext): AbortSignal {
  const ends = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
  return AbortSignal.any(ends);
}

function bookmark(position: AuditPosition, endsInitial: boolean): WatchEvent {
  const annotations = endsInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: formatPosition(position), ...annotations };
  return {
    type: 'BOOKMARK',
    object: { apiVersion: apiVersionOf(AUDIT_EVENT), kind: AUDIT_EVENT.kind, metadata } as unknown as KubeObject,
  };
}
