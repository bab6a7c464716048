import type { AuditEvent, KubeList } from '@crate/api';
import { apiJson } from '../../api/http.js';
import { collectionPath, KINDS } from '../../api/paths.js';
import { MOST_ENTRIES, newestOf, type FoundEntries, type ReadSpan, type Span } from './newest-entries.js';

/** What entries are looked for by; each stands in the URL under its name. */
export const FIELDS = ['user', 'verb', 'resource', 'name', 'decision', 'traceId'] as const;

/** How far back, by its name in the URL. */
export const WINDOWS: Readonly<Record<string, number | undefined>> = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 7 * 86_400_000,
  '30d': 30 * 86_400_000,
  all: undefined,
};
export const USUAL_WINDOW = '24h';

const PER_REQUEST = 2_500;

/** What is looked for. */
export interface AuditSearch {
  /** Absent: in all Projects, and in what belongs to none. */
  readonly project?: string | undefined;
  readonly window?: string | undefined;
  /** Where the window ends, which is not in it; absent, or no time: now. */
  readonly until?: string | undefined;
  readonly fields: Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;
}

/** The search in the words of the API; times are from its end on back, or from `nowMs`. Pure. */
export function fieldSelectorOf(search: AuditSearch, nowMs: number): string {
  return selectorOf(search, spanOf(search, nowMs));
}

function spanOf({ window, until }: AuditSearch, nowMs: number): Span {
  const backMs = WINDOWS[window ?? USUAL_WINDOW];
  const endMs = Date.parse(until ?? '');
  const untilMs = Number.isNaN(endMs) ? undefined : endMs;
  return { sinceMs: backMs === undefined ? undefined : (untilMs ?? nowMs) - backMs, untilMs };
}

function selectorOf({ fields }: AuditSearch, { sinceMs, untilMs }: Span): string {
  const stated = FIELDS.flatMap((field) => {
    const value = fields[field]?.trim() ?? '';
    return value === '' ? [] : [`${field}=${escaped(value)}`];
  });
  const times = Object.entries({ since: sinceMs, until: untilMs }).flatMap(([field, ms]) =>
    ms === undefined ? [] : [`${field}=${new Date(ms).toISOString()}`],
  );
  return [...stated, ...times].join(',');
}

/** Where all that is found can be had, with the hashes by which it is checked. Pure. */
export function exportPath(search: AuditSearch, nowMs: number): string {
  const fieldSelector = fieldSelectorOf(search, nowMs);
  const query = new URLSearchParams({
    ...(search.project === undefined ? {} : { namespace: search.project }),
    ...(fieldSelector === '' ? {} : { fieldSelector }),
  });
  return `/audit/events?${query.toString()}`;
}

/** The newest entries that are found. Throws ApiError. */
export async function findEntries(search: AuditSearch, nowMs: number, signal: AbortSignal): Promise<FoundEntries> {
  const span = spanOf(search, nowMs);
  const read = (part: Span): Promise<ReadSpan> => readSpan(search, part, signal);
  const all = await read(span);
  const oldest = all.entries[0]?.time;
  if (!all.isCut || oldest === undefined) return { entries: [...all.entries].reverse(), isCut: false };
  return newestOf({ beginMs: Date.parse(oldest), nowMs, untilMs: span.untilMs, read });
}

/** Throws ApiError. */
async function readSpan(search: AuditSearch, span: Span, signal: AbortSignal): Promise<ReadSpan> {
  const fieldSelector = selectorOf(search, span);
  const path = collectionPath(KINDS.auditEvent, search.project);
  const entries: AuditEvent[] = [];
  let next: string | undefined = '';
  while (next !== undefined && entries.length < MOST_ENTRIES) {
    const query = new URLSearchParams({
      limit: String(PER_REQUEST),
      ...(fieldSelector === '' ? {} : { fieldSelector }),
      ...(next === '' ? {} : { continue: next }),
    });
    const page: KubeList = await apiJson<KubeList>(`${path}?${query.toString()}`, { signal });
    entries.push(...(page.items as unknown as AuditEvent[]));
    next = page.metadata.continue;
  }
  return { entries, isCut: next !== undefined };
}

/** The same from now on back; `askedMs` is what now was. Throws ApiError. */
export async function findNow(
  search: AuditSearch,
  signal: AbortSignal,
): Promise<FoundEntries & { readonly askedMs: number }> {
  const askedMs = Date.now();
  return { askedMs, ...(await findEntries(search, askedMs, signal)) };
}

/** What an entry is about, such as `clusters/scale demo`. Pure. */
export function objectText({ object: { resource, subresource, name } }: AuditEvent): string {
  return [subresource === undefined ? resource : `${resource}/${subresource}`, name].filter(Boolean).join(' ');
}

/** Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/ */
function escaped(value: string): string {
  return value.replaceAll(/[\\,=]/g, String.raw`\$&`);
}
