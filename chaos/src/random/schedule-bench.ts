import { join } from 'node:path';
import { judge } from '../invariants/all.js';
import type { Violation } from '../invariants/invariant.js';
import { ChaosPlatform } from '../platform/chaos-platform.js';
import { Team } from '../users/team.js';
import { NatsTraffic } from '../watch/nats-traffic.js';
import { Observers } from '../watch/observers.js';
import { KeptChanges } from '../world/kept-changes.js';
import { KeptCloud } from '../world/kept-cloud.js';
import { LeakScan } from '../world/leaks.js';
import { readWorld } from '../world/read-world.js';
import { summaryOf } from '../world/summary.js';
import { Breaker } from './breaker.js';
import { untilConverged, type Convergence } from './converge.js';
import { perform } from './perform.js';
import type { ScheduledStep } from './schedule.js';

/** Of latencies of the simulated cloud. */
const LATENCY_SCALE = 0.1;

export interface ScheduleBenchOptions {
  readonly replicas: number;
  readonly hosts: number;
  readonly leaseMs: number;
  readonly say: (line: string) => void;
}

export interface ScheduleRun {
  readonly steps: readonly ScheduledStep[];
  /** How long after healing everything may take. */
  readonly boundMs: number;
  readonly say: (line: string) => void;
}

/** Who takes part while a schedule happens. */
interface Taking {
  readonly log: KeptChanges;
  readonly doings: KeptCloud;
  readonly breaker: Breaker;
  readonly team: Team;
  /** Ends what the team asks for again and again. */
  readonly ending: AbortController;
  readonly observers: Observers;
}

/** A platform on which one schedule after the other happens; each begins and ends without clusters. */
export class ScheduleBench {
  private readonly leakScan: LeakScan;

  private constructor(
    private readonly platform: ChaosPlatform,
    private readonly traffic: NatsTraffic,
  ) {
    this.leakScan = new LeakScan(platform, { traffic });
  }

  static async start({ replicas, hosts, leaseMs, say }: ScheduleBenchOptions): Promise<ScheduleBench> {
    const of = { replicas, hosts, leaseMs };
    const platform = await ChaosPlatform.start({ ...of, latencyScale: LATENCY_SCALE, smallDisks: true });
    for (const [name, disk] of Object.entries(platform.disks) as [string, unknown][]) {
      if (typeof disk === 'string') say(`Skipping full disks of ${name}: ${disk}`);
    }
    await new Team(platform, new AbortController().signal).prepare();
    return new ScheduleBench(platform, await NatsTraffic.of(platform));
  }

  /** Where logs and data are. */
  get directory(): string {
    return this.platform.directory;
  }

  async stop({ keepsData }: { readonly keepsData: boolean }): Promise<void> {
    await this.traffic.stop();
    await this.platform.stop({ keepsData });
  }

  /** Lets the schedule happen, heals, waits, judges; then deletes everything, and judges again. */
  async run(run: ScheduleRun): Promise<readonly Violation[]> {
    const { directory, records } = this.platform;
    const log = await KeptChanges.fromNow(records);
    try {
      return await KeptCloud.during(join(directory, 'sandbox'), records, (doings) =>
        this.runWith({ log, doings }, run),
      );
    } finally {
      await log.stop();
    }
  }

  private async runWith(kept: Pick<Taking, 'log' | 'doings'>, run: ScheduleRun): Promise<readonly Violation[]> {
    const { platform } = this;
    await platform.sandbox.setLatency(LATENCY_SCALE);
    const ending = new AbortController();
    const team = new Team(platform, ending.signal);
    const taking = { ...kept, team, breaker: new Breaker(platform, run.say) };
    try {
      const first = await Observers.during(platform, await platform.replicaApis(), async (observers) =>
        this.happen(run, { ...taking, ending, observers }),
      );
      return first.length > 0 ? first : await this.afterDeletion(taking, run);
    } finally {
      ending.abort();
    }
  }

  private async happen(
    { steps, boundMs, say }: ScheduleRun,
    { log, doings, breaker, team, ending, observers }: Taking,
  ): Promise<readonly Violation[]> {
    const { platform, leakScan } = this;
    const asked = await perform(steps, { team, breaker, say });
    say('Healing');
    await breaker.heal();
    ending.abort();
    await Promise.all(asked);
    const question = new Date().toISOString();
    const help = async (): Promise<void> => {
      await team.help();
      await team.compareAll(question);
    };
    const converged = await this.resume(team).then(
      () => untilConverged(platform, boundMs, { question, keys: team.ledger.keys, help }),
      (error: unknown): Convergence => ({
        convergedAfterMs: undefined,
        unsettled: [`nobody can work: ${String(error)}`],
      }),
    );
    say(endOf('Converged', converged));
    const { acknowledged } = team.ledger;
    const { meddled } = breaker;
    const told = { acknowledged, ...converged, boundMs, log, doings, meddled, leakScan };
    const world = await readWorld({ platform, observers, ...told });
    say(summaryOf(world));
    return judge(world);
  }

  /** The cloud is well again, the platform is up, and users take back what they paused. */
  private async resume(team: Team): Promise<void> {
    const { platform } = this;
    await platform.untilUp();
    await platform.sandbox.clearFaults();
    await platform.sandbox.setLatency(0);
    await platform.sandbox.setTargetApis({});
    await team.resumeAll();
    await team.resumeRollouts();
  }

  /** Whatever was done, nothing may be left when everything is deleted. */
  private async afterDeletion(
    { team, log, doings, breaker: { meddled } }: Omit<Taking, 'ending' | 'observers'>,
    { boundMs, say }: Pick<ScheduleRun, 'boundMs' | 'say'>,
  ): Promise<readonly Violation[]> {
    const { platform, leakScan } = this;
    const refused = await violationOf('a cluster that is Ready takes workloads', team.exposeAll());
    return Observers.during(platform, [platform.api], async (observers) => {
      await team.deleteAll();
      const converged = await untilConverged(platform, boundMs, { keys: team.ledger.keys, help: () => team.help() });
      say(endOf('Deleted', converged));
      say(`People let ${team.decided} volumes go of clusters that were away`);
      const kept = await violationOf('a class that no cluster is of can be deleted', team.withdrawClass());
      const { acknowledged } = team.ledger;
      const told = { acknowledged, ...converged, boundMs, log, doings, meddled, leakScan };
      return [...refused, ...kept, ...judge(await readWorld({ platform, observers, ...told }))];
    });
  }
}

async function violationOf(invariant: string, done: Promise<void>): Promise<readonly Violation[]> {
  return done.then(
    () => [],
    (error: unknown) => [{ invariant, message: String(error) }],
  );
}

function endOf(what: 'Converged' | 'Deleted', { convergedAfterMs, unsettled }: Convergence): string {
  if (convergedAfterMs === undefined) return `Not ${what.toLowerCase()}: ${unsettled.join('; ')}`;
  return `${what} after ${convergedAfterMs} ms`;
}
