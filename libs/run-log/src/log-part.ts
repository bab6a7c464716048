/** Some lines of one run, as they are stored. */
export interface LogPart {
  /** Order among the parts of one owner. */
  readonly seq: number;
  readonly run: string;
  /** Number of the first line within its run, from 1. */
  readonly firstLine: number;
  readonly lineCount: number;
  /** RFC 3339 time of the last line. */
  readonly lastAt: string;
  /** Lines as `<RFC 3339> <text>`, each with its line feed. */
  readonly body: string;
}

export type NewLogPart = Omit<LogPart, 'seq'>;

/** Where parts are kept. */
export abstract class LogParts {
  /** Gives the part's place. */
  abstract add(owner: string, part: NewLogPart): Promise<number>;
  /** Takes parts of the owner away. Idempotent. */
  abstract remove(owner: string, seqs: readonly number[]): Promise<void>;
  /** Takes away all but the newest `keep` runs of the owner. Idempotent. */
  abstract removeOldRuns(owner: string, keep: number): Promise<void>;
  /** Takes away everything of the owner. Idempotent. */
  abstract removeAll(owner: string): Promise<void>;
  /** The next parts after `seq`, in order, at most `limit`; only those with a line after `since`. */
  abstract after(
    owner: string,
    seq: number,
    options: { readonly limit: number; readonly since?: string },
  ): Promise<readonly LogPart[]>;
  /** Where the last `lines` lines begin: the part, and how many of its lines come before; undefined when there are fewer. */
  abstract findTail(owner: string, lines: number): Promise<{ readonly seq: number; readonly skip: number } | undefined>;
}

/** The stored lines of a part. */
export function linesOf({ body }: Pick<LogPart, 'body'>): readonly string[] {
  return body.split('\n').slice(0, -1);
}
