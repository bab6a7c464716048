import { judge } from '../invariants/all.js';
import { leakViolations } from '../invariants/endings.js';
import type { Violation } from '../invariants/invariant.js';
import { ChaosPlatform } from '../platform/chaos-platform.js';
import { untilConverged, type Convergence } from '../random/converge.js';
import { Team } from '../users/team.js';
import { Observers } from '../watch/observers.js';
import { KeptChanges } from '../world/kept-changes.js';
import { LeakScan } from '../world/leaks.js';
import { readWorld } from '../world/read-world.js';
import { Executioner } from './executioner.js';
import { OPERATIONS, pointsOf, type KillPoint, type Operation } from './kill-point.js';
import { actionOf, AFTER, AWAY, BEFORE, FURNISHED, TOWARDS, type Stage } from './stages.js';
import { TargetsAway } from './targets-away.js';
import { Trace } from './trace.js';

const SETUP_MS = 240_000;
const LEAK_SCAN_EVERY = 10;

export interface KillBenchOptions {
  /** How long everything may take after something died. */
  readonly boundMs: number;
  readonly leaseMs: number;
}

/** What became of one point. */
export interface PointResult {
  readonly point: KillPoint;
  /** False when the operation was over before the point came, or nobody was there to die. */
  readonly wasReached: boolean;
  readonly violations: readonly Violation[];
}

/** A platform on which one cluster after the other is made, scaled, changed and deleted while something dies. */
export class KillBench {
  private readonly team: Team;
  private readonly help = (): Promise<void> => this.team.help();
  private count = 0;
  private cluster = '';
  private at: Stage = 'absent';
  /** Of the cluster, from its beginning. */
  private log: KeptChanges | undefined;
  private readonly leakScan: LeakScan;
  private readonly away: TargetsAway;

  private constructor(
    readonly platform: ChaosPlatform,
    private readonly boundMs: number,
  ) {
    this.team = new Team(platform, new AbortController().signal);
    this.away = new TargetsAway(platform.sandbox);
    this.leakScan = new LeakScan(platform, { every: LEAK_SCAN_EVERY });
  }

  /** How far its cluster is. */
  get stage(): Stage {
    return this.at;
  }

  static async start({ boundMs, leaseMs }: KillBenchOptions): Promise<KillBench> {
    const platform = await ChaosPlatform.start({ replicas: 1, latencyScale: 0, leaseMs });
    const bench = new KillBench(platform, boundMs);
    await bench.team.prepare();
    return bench;
  }

  async stop(options: { readonly keepsData: boolean }): Promise<void> {
    await this.log?.stop();
    await this.platform.stop(options);
  }

  /** Looks for secrets of all points that were not looked for yet. To be asked before a platform is stopped. */
  async lastLook(): Promise<readonly Violation[]> {
    return leakViolations(await this.leakScan.lookNow());
  }

  /** All points there are, by watching every operation once. */
  async enumerate(): Promise<readonly KillPoint[]> {
    const points: KillPoint[] = [];
    for (const operation of OPERATIONS) {
      await this.prepareFor(operation);
      await this.furnishFor(operation);
      const trace = new Trace(this.platform);
      await trace.begin();
      await this.perform(operation);
      await this.converge();
      points.push(...pointsOf(operation, await trace.end()));
    }
    return points;
  }

  /** Brings a cluster to where the operation begins, lets it happen and something die, and judges the world. */
  async run(point: KillPoint): Promise<PointResult> {
    await this.prepareFor(point.operation);
    await this.furnishFor(point.operation);
    return Observers.during(this.platform, [this.platform.api], async (observers) => this.judgeAt(point, observers));
  }

  private async judgeAt(point: KillPoint, observers: Observers): Promise<PointResult> {
    const executioner = new Executioner(this.platform, point);
    await executioner.arm();
    await this.perform(point.operation);
    const converged = await this.convergeAfter(executioner);
    await executioner.disarm();
    await this.away.end();
    await this.platform.untilUp();
    const { platform, boundMs, leakScan, log } = this;
    if (!log) throw new Error('There never was a cluster');
    const { acknowledged } = this.team.ledger;
    const told = { acknowledged, ...converged, boundMs, log, leakScan };
    const world = await readWorld({ platform, observers, ...told });
    return { point, wasReached: executioner.hasKilled, violations: judge(world) };
  }

  /** A cluster as it is before an operation. Most operations in their order need nothing in between. */
  private async prepareFor(operation: Operation): Promise<void> {
    while (!BEFORE[operation].includes(this.at)) {
      await this.perform(TOWARDS[operation][this.at] ?? 'delete');
      await this.converge();
    }
  }

  private async furnishFor(operation: Operation): Promise<void> {
    if (FURNISHED.includes(operation)) await this.team.exposeAll();
  }

  private async perform(operation: Operation): Promise<void> {
    if (operation === 'create') {
      this.cluster = `k${(this.count += 1)}`;
      await this.log?.stop();
      this.log = await KeptChanges.fromNow(this.platform.records);
    }
    if (AWAY.includes(operation)) await this.away.begin();
    await this.team.insistOn(actionOf(operation, this.cluster));
    this.at = AFTER[operation];
  }

  private async converge(): Promise<void> {
    const { convergedAfterMs, unsettled } = await untilConverged(this.platform, SETUP_MS, { help: this.help });
    await this.away.end();
    if (convergedAfterMs !== undefined) return;
    throw new Error(`The platform does not come to rest by itself: ${unsettled.join('; ')}`);
  }

  /** From when something died; the operation may come to rest before the point does: then it never comes. */
  private async convergeAfter(executioner: Executioner): Promise<Convergence> {
    const { platform, boundMs, help } = this;
    const first = await untilConverged(platform, boundMs, { help, isOver: () => executioner.hasKilled });
    return executioner.hasKilled ? untilConverged(platform, boundMs, { help }) : first;
  }
}
