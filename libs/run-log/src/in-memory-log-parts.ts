import { LogParts, type LogPart, type NewLogPart } from './log-part.js';

/** Parts in memory, for tests. */
export class InMemoryLogParts extends LogParts {
  private parts: readonly (LogPart & { readonly owner: string })[] = [];
  private last = 0;

  override async add(owner: string, part: NewLogPart): Promise<number> {
    this.last += 1;
    this.parts = [...this.parts, { ...part, owner, seq: this.last }];
    return Promise.resolve(this.last);
  }

  override async remove(owner: string, seqs: readonly number[]): Promise<void> {
    return this.drop((part) => part.owner === owner && seqs.includes(part.seq));
  }

  override async removeOldRuns(owner: string, keep: number): Promise<void> {
    const runs = new Set(
      this.of(owner)
        .map(({ run }) => run)
        .reverse(),
    );
    const kept = [...runs].slice(0, keep);
    return this.drop((part) => part.owner === owner && !kept.includes(part.run));
  }

  override async removeAll(owner: string): Promise<void> {
    return this.drop((part) => part.owner === owner);
  }

  override async after(
    owner: string,
    seq: number,
    { limit, since = '' }: { readonly limit: number; readonly since?: string },
  ): Promise<readonly LogPart[]> {
    const found = this.of(owner).filter((part) => part.seq > seq && part.lastAt > since);
    return Promise.resolve(found.slice(0, limit).map(({ owner: _, ...part }) => part));
  }

  override async findTail(owner: string, lines: number): Promise<{ seq: number; skip: number } | undefined> {
    let total = 0;
    for (const { seq, lineCount } of this.of(owner).toReversed()) {
      total += lineCount;
      if (total >= lines) return Promise.resolve({ seq, skip: total - lines });
    }
    return Promise.resolve(undefined);
  }

  private of(owner: string): readonly (LogPart & { readonly owner: string })[] {
    return this.parts.filter((part) => part.owner === owner);
  }

  private drop(isDropped: (part: LogPart & { readonly owner: string }) => boolean): Promise<void> {
    this.parts = this.parts.filter((part) => !isDropped(part));
    return Promise.resolve();
  }
}
