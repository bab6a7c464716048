/** One thing a client can do with the API, tried for real. */
export interface Row {
  /** In the words of a person who uses the client. */
  readonly capability: string;
  /** Rejects when it does not work. */
  readonly run: () => Promise<void>;
  /** What a reader should know of how it works. */
  readonly note?: string;
  /** It is tried after all others, by itself: it does to the platform what others would notice. */
  readonly isAlone?: boolean;
}

/** A client, with all that is tried with it, one after the other. */
export interface Client {
  /** Heading of its table, such as `kubectl`. */
  readonly family: string;
  /** Its column there, such as `1.33`. */
  readonly version: string;
  readonly rows: readonly Row[];
  /** Makes ready what the rows need; when it rejects, none of them works. */
  readonly prepare: () => Promise<void>;
  /** Why it cannot be tried on this machine. */
  readonly absent?: string;
}

/** How a row went. */
export interface Result {
  readonly family: string;
  readonly version: string;
  readonly capability: string;
  readonly error: Error | undefined;
  readonly note: string | undefined;
  readonly ms: number;
}

/** Runs what all clients that are there can do: clients side by side, each one's rows in order. */
export async function runClients(clients: readonly Client[], atOnce: number): Promise<readonly Result[]> {
  const present = clients.filter(({ absent }) => absent === undefined).map((client) => new Run(client));
  const waiting = [...present];
  const lane = async (): Promise<void> => {
    for (let run = waiting.shift(); run; run = waiting.shift()) await run.rows((row) => !row.isAlone);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  for (const run of present) await run.rows((row) => row.isAlone ?? false);
  return present.flatMap(({ results }) => results);
}

/** One client's way through its rows. */
class Run {
  readonly results: Result[] = [];
  private ready: Promise<void> | undefined;

  constructor(private readonly client: Client) {}

  async rows(filter: (row: Row) => boolean): Promise<void> {
    this.ready ??= this.client.prepare();
    await this.ready.catch(() => undefined); // Each row tells of it.
    for (const row of this.client.rows.filter(filter)) this.results.push(await this.row(row, this.ready));
  }

  private async row({ capability, run, note }: Row, ready: Promise<void>): Promise<Result> {
    const { family, version } = this.client;
    const start = performance.now();
    const error = await ready.then(run).then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
    return { family, version, capability, error, note, ms: performance.now() - start };
  }
}
