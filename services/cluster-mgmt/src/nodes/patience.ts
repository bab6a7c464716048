interface Wish {
  readonly uid: string;
  readonly generation: number;
}

/** Since when each cluster is asked for what it refuses. Kept in memory: a restart, and another wish, give it a new grace time. */
export class Patience {
  private readonly asked = new Map<string, { readonly generation: number; readonly at: Date }>();

  /** When this was asked first. */
  since({ uid, generation }: Wish, now: Date): Date {
    const known = this.asked.get(uid);
    if (known?.generation === generation) return known.at;
    this.asked.set(uid, { generation, at: now });
    return now;
  }
}
