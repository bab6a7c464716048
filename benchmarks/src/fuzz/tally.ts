import type { Operation } from './api-document.js';
import type { FuzzAnswer } from './judge.js';
import { CLASSES, type FuzzRequest, type RequestClass } from './request-arbitrary.js';

/** Counts of what was sent and answered. */
export class Tally {
  private readonly counts = new Map<string, number>();
  private readonly codes = new Map<number, number>();
  private readonly times: number[] = [];
  private readonly met = new Set<string>();

  add({ kind, method, operation }: FuzzRequest, { code, milliseconds }: FuzzAnswer): void {
    // A hostile request may have become one for something else.
    if (kind !== 'hostile' && method === operation.method && isMet(code)) this.met.add(operation.id);
    const key = `${kind} ${Math.floor(code / 100)}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    this.times.push(milliseconds);
  }

  /** How many requests of a class were answered by codes of that hundred; 0 is no answer. */
  of(kind: RequestClass, hundred: number): number {
    return this.counts.get(`${kind} ${hundred}`) ?? 0;
  }

  total(kind: RequestClass): number {
    return [0, 1, 2, 3, 4, 5].reduce((sum, hundred) => sum + this.of(kind, hundred), 0);
  }

  /** Whether it was ever done, or refused by who does it for what there is; all that comes before it answers otherwise. */
  hasMet({ id }: Operation): boolean {
    return this.met.has(id);
  }

  get slowestMs(): number {
    return this.times.reduce((slowest, time) => Math.max(slowest, time), 0);
  }

  /** A table for people. */
  table(): string {
    const head = 'class      requests      2xx      3xx      4xx      5xx   broken';
    const rows = CLASSES.map((kind) => {
      const cells = [
        this.total(kind),
        this.of(kind, 2),
        this.of(kind, 3),
        this.of(kind, 4),
        this.of(kind, 5),
        this.of(kind, 0),
      ];
      return kind.padEnd(10) + cells.map((cell) => String(cell).padStart(9)).join('');
    });
    const codes = [...this.codes].sort(([left], [right]) => left - right).map(([code, count]) => `${code}: ${count}`);
    return [head, ...rows, '', codes.join('  ')].join('\n');
  }
}

function isMet(code: number): boolean {
  return (code >= 200 && code < 400) || code === 409 || code === 423;
}
