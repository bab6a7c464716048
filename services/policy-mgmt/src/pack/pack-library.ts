import type { Policy } from '@crate/api';
import { invariant, unavailable } from '@crate/errors';
import { mistakesOf, type PackedPolicy } from '@crate/policy-engine';
import type { TypedClient } from '@crate/resource-client';
import { releaseOf, type PublicationTurns } from '@crate/service-host';
import type { Logger, Metrics } from '@crate/telemetry';
import type { PackSource } from './pack-source.js';
import { isOfPack, publishPacks, sourceOf, type ReadSource } from './publish-packs.js';

/** Of looks: as many may fail before a replica of another release, which looks as often, takes the packs over. */
const PATIENCE_LOOKS = 2;

export interface PackLibraryOptions {
  readonly policies: TypedClient<Policy>;
  readonly turns: PublicationTurns;
  /** What comes with the service. */
  readonly shipped: PackSource;
  /** The customer's own, in the order in which names are given away. */
  readonly further: readonly PackSource[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** How often everything is read again. */
  readonly refreshMs: number;
  /** Told of rules whose source could be read before and cannot be now, or the other way round. */
  readonly onChange?: (names: readonly string[]) => Promise<void>;
}

/** Keeps the stored rules as the packs of all sources say. */
export class PackLibrary {
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();
  /** What this replica started with, whatever becomes of the folder that it is in. */
  private release: string | undefined;
  /** Whether each source could be read when it was last tried. */
  private readonly readable = new Map<string, boolean>();
  /** By the label of a source why it cannot be read. */
  private readonly troubles = new Map<string, string>();
  /** Of each source that could be read what it ships with its rules, by their names. */
  private readonly examples = new Map<string, ReadonlyMap<string, PackedPolicy['examples']>>();

  constructor(private readonly options: PackLibraryOptions) {
    options.metrics.gauge({
      name: 'crate_policy_pack_source_readable',
      help: 'Whether a source of policy packs could be read when it was last tried (1) or keeps its former rules (0).',
      labels: ['source'],
      collect: (gauge) => {
        for (const [source, isReadable] of this.readable) gauge.set(isReadable ? 1 : 0, { source });
      },
    });
  }

  /**
   * Publishes everything and goes on doing so. Throws Unavailable when a source of which nothing is stored yet cannot be read:
   * without its rules there is no verdict.
   */
  async start(): Promise<void> {
    await this.publish({ isFirst: true });
    this.timer = setInterval(() => {
      // One after the other, however long a registry takes: two at once would undo each other's work.
      this.reading = this.reading
        .then(() => this.publish({ isFirst: false }))
        .catch((error: unknown) => this.options.logger.error('The policy packs could not be published', { error }));
    }, this.options.refreshMs).unref();
  }

  /** Why the source that a rule comes from cannot be read; undefined where it can, or comes from none. */
  troubleOf(policy: Policy): string | undefined {
    return this.troubles.get(sourceOf(policy));
  }

  /** What its pack ships with a rule; undefined for one that came from none. */
  examplesOf(policy: Policy): PackedPolicy['examples'] | undefined {
    return this.examples.get(sourceOf(policy))?.get(policy.metadata.name);
  }

  /** Ends what is under way; idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.reading;
  }

  private async publish({ isFirst }: { readonly isFirst: boolean }): Promise<void> {
    const { policies, shipped, further } = this.options;
    const before = new Map(this.troubles);
    const stored = await policies.list();
    const own = stored.filter((policy) => !isOfPack(policy)).map(({ metadata }) => metadata.name);
    // Another release may have published further rules of what ships.
    if (!isFirst) own.push(...namesOf({ label: shipped.label, policies: undefined }, stored));
    const read: ReadSource[] = [{ label: shipped.label, policies: await shipped.read() }];
    for (const source of further) {
      const taken = [...own, ...read.flatMap((earlier) => namesOf(earlier, stored))];
      const packed = await this.read(source, new Set(taken));
      const isKnown = stored.some((policy) => sourceOf(policy) === source.label);
      if (!packed && isFirst && !isKnown)
        throw unavailable(`The policies of ${source.name} were never read, and cannot be now`);
      read.push({ label: source.label, policies: packed });
    }
    await this.publishInTurn(read, isFirst);
    for (const { label, policies: packed } of read)
      if (packed) this.examples.set(label, new Map(packed.map(({ name, examples }) => [name, examples])));
    const changed = [...before, ...this.troubles].flatMap(([label]) =>
      before.get(label) === this.troubles.get(label) ? [] : [label],
    );
    const concerned = stored
      .filter((policy) => changed.includes(sourceOf(policy)))
      .map(({ metadata }) => metadata.name);
    if (concerned.length > 0) await this.options.onChange?.(concerned);
  }

  /** What ships is left alone while that of another release counts: a replica that is about to be replaced would undo it. */
  private async publishInTurn([shipped, ...further]: readonly ReadSource[], isStart: boolean): Promise<void> {
    if (!shipped) return;
    const { policies, turns, refreshMs } = this.options;
    const release = (this.release ??= releaseOf(
      (shipped.policies ?? []).map(({ pack, name, spec }) => ({ pack, name, spec })),
    ));
    await turns.take(
      { release, isStart, patienceMs: PATIENCE_LOOKS * refreshMs, signal: this.stopping.signal },
      (counts) => publishPacks(policies, [counts ? shipped : { ...shipped, policies: undefined }, ...further]),
    );
  }

  /** Undefined, and told, when anything is wrong with it: half a pack might allow what the other half forbids. */
  private async read(source: PackSource, taken: ReadonlySet<string>): Promise<readonly PackedPolicy[] | undefined> {
    const { logger } = this.options;
    try {
      const packed = await source.read();
      assertUsable(packed, taken);
      this.readable.set(source.name, true);
      this.troubles.delete(source.label);
      return packed;
    } catch (error) {
      this.readable.set(source.name, false);
      this.troubles.set(source.label, `${source.name}: ${error instanceof Error ? error.message : String(error)}`);
      logger.error('Keeping the former rules of a source of policy packs', { source: source.name, error });
      return undefined;
    }
  }
}

/** Names that a source has given to its rules: while it cannot be read, those of its former ones. */
function namesOf({ label, policies }: ReadSource, stored: readonly Policy[]): readonly string[] {
  if (policies) return policies.map(({ name }) => name);
  return stored.filter((policy) => sourceOf(policy) === label).map(({ metadata }) => metadata.name);
}

function assertUsable(packed: readonly PackedPolicy[], taken: ReadonlySet<string>): void {
  const twice = packed.find(({ name }) => taken.has(name));
  if (twice)
    throw invariant(`There is a policy "${twice.name}" already: names of further packs need a prefix of their own`);
  const mistakes = packed.flatMap(({ name, spec }) =>
    mistakesOf(spec).map(({ field, message }) => `${name}: ${field}: ${message}`),
  );
  if (mistakes.length > 0) throw invariant(mistakes.join('; '));
}
