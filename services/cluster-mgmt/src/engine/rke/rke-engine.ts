import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { hasCode, invariant, PlatformError, toPlatformError } from '@crate/errors';
import { formatKubeconfig, kubeconfigForServer, parseKubeconfig } from '@crate/kubernetes';
import { findExecutable, runProcess, type RunLiveness } from '@crate/process';
import type { RunLogs, RunLogWriter } from '@crate/run-log';
import type { SecretStore } from '@crate/secrets';
import { currentContext, currentSpan, withSpan, type Histogram, type Logger, type Metrics } from '@crate/telemetry';
import { ClusterEngine, type EngineState, type EngineTask } from '../cluster-engine.js';
import { hashEngineTask, type EngineConfig } from '../engine-config.js';
import { engineFailure } from '../engine-failure.js';
import { bootingMachines } from '../first-boot.js';
import type { EngineRun, EngineCommand, EngineRunRepository } from '../engine-run.repository.js';
import { engineRunDurations, SUCCEEDED } from '../run-metrics.js';
import { RunHeartbeat } from '../run-heartbeat.js';
import { keepTrying } from '../keep-trying.js';
import { runLimitMs } from '../run-limit.js';
import { nameDamage } from '../../engine-state/engine-state-damage.js';
import { isRestored } from '../../engine-state/engine-state-facts.js';
import { nodesOf, parseRkeState } from '../../engine-state/rke-state.js';
import { SECRET_KINDS } from '../secret-kinds.js';
import { configForRun, hostsWithoutEtcd } from './rke-config.js';
import { RkeFailures } from './rke-failure.js';
import { parseRkeLogLine, type RkeLogLine } from './rke-log.js';
import { RkeProgress } from './rke-progress.js';
import { RkeWorkspace } from './rke-workspace.js';
import { StateMirror } from './state-mirror.js';

export interface RkeEngineOptions {
  readonly runs: EngineRunRepository;
  readonly logs: RunLogs;
  readonly secrets: SecretStore;
  readonly logger: Logger;
  /** Path of the executable, or a name looked up in `path`. */
  readonly binary: string;
  /** `PATH` of the engine. */
  readonly path: string;
  readonly metrics: Metrics;
  /** Gives the folder for the private folders of runs, made when absent. */
  readonly workspaceRoot: () => Promise<string>;
  /** Longest time of a run that drains no node. */
  readonly timeoutMs: number;
  /** From asking a run to stop until it is killed. */
  readonly graceMs: number;
  /** How long what came of a run is kept trying to be stored: it took minutes. Default: a minute. */
  readonly keepTryingMs?: number;
  /** Asked whether earlier runs are over. */
  readonly liveness: RunLiveness;
}

/** RKE, run as the program it is. Source: https://rke.docs.rancher.com */
export class RkeEngine extends ClusterEngine {
  private readonly durations: Histogram;

  constructor(private readonly options: RkeEngineOptions) {
    super();
    this.durations = engineRunDurations(options.metrics);
  }

  override async observe(clusterUid: string): Promise<EngineState> {
    const runs = await this.options.runs.list(clusterUid);
    const last = runs.find(({ kind }) => kind !== 'edit');
    const versions = await this.options.secrets.versions(clusterUid, SECRET_KINDS.engineState);
    // The engine writes its kubeconfig once it has put certificates on the machines.
    const kubeconfigs = await this.options.secrets.versions(clusterUid, SECRET_KINDS.kubeconfig);
    const stateSerial = versions.at(-1)?.serial;
    const applied = stateSerial === undefined ? undefined : appliedRun(runs);
    return {
      stateSerial,
      appliedHash: applied?.configHash,
      appliedGeneration: applied?.generation,
      wasStarted: last !== undefined,
      hasReachedMachines: kubeconfigs.length > 0,
      isRemoved: last?.kind === 'remove' && last.state === 'succeeded',
      isRemoving: last?.kind === 'remove',
      isBetweenVersions: sinceDone(runs).some(({ drains }) => drains),
    };
  }

  override async appliedConfig(clusterUid: string): Promise<EngineConfig | undefined> {
    const applied = appliedRun(await this.options.runs.list(clusterUid));
    return applied && this.options.runs.findConfig(applied.id);
  }

  override async verifyState(clusterUid: string): Promise<void> {
    await this.options.secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
  }

  override async members(clusterUid: string): Promise<readonly string[]> {
    const nodes = await this.nodes(clusterUid);
    return nodes.map((node) => String(node['hostnameOverride'] ?? node['address']));
  }

  override async settleEarlierRuns(clusterUid: string, epoch: bigint): Promise<void> {
    const { runs, liveness, graceMs } = this.options;
    for (const run of await runs.list(clusterUid)) {
      if (run.state !== 'running') continue;
      await liveness.requireDead(run, { program: 'the engine', graceMs });
      await this.settleRun(run, epoch);
    }
  }

  override up(task: EngineTask): Promise<void> {
    return this.run('up', task);
  }

  override remove(task: EngineTask): Promise<void> {
    return this.run('remove', task);
  }

  override async forget(clusterUid: string): Promise<void> {
    await this.options.logs.forget(clusterUid);
    await this.options.runs.removeAll(clusterUid);
  }

  /** The machines that runs have made nodes, as the engine's state has them. */
  private async nodes(clusterUid: string): Promise<ReturnType<typeof nodesOf>> {
    const stored = await this.options.secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
    const { currentState = {} } = (stored && parseRkeState(stored.plain)) ?? {};
    return nodesOf(currentState);
  }

  private async booting(kind: EngineCommand, { clusterUid, config }: EngineTask): Promise<ReadonlySet<string>> {
    if (kind !== 'up') return new Set();
    const members = (await this.nodes(clusterUid)).map((node) => String(node['address']));
    return bootingMachines({ config, members, runs: await this.options.runs.list(clusterUid) });
  }

  private async settleRun(run: EngineRun, epoch: bigint): Promise<void> {
    const workspace = new RkeWorkspace(run.workspace);
    await this.keepLastState(run, workspace, epoch);
    await workspace.remove();
    await this.options.runs.close(run.id, 'abandoned');
  }

  /**
   * The last change may not have been mirrored when its service died; what a person has put in place since counts more. That is a version, and
   * no row of a run: one may be all there is of a restore that died.
   */
  private async keepLastState(run: EngineRun, workspace: RkeWorkspace, epoch: bigint): Promise<void> {
    const { secrets } = this.options;
    const { clusterUid, id: runId } = run;
    const stored = await secrets.find(clusterUid, SECRET_KINDS.engineState).catch(nameDamage);
    const isOutdated = isRestored(stored?.facts) && (stored?.fence ?? 0n) > run.epoch;
    if (isOutdated) return;
    await new StateMirror({ secrets, workspace, clusterUid, runId, epoch, after: stored?.serial ?? 0 }).sync();
  }

  private async run(kind: EngineCommand, task: EngineTask): Promise<void> {
    const binary = await findExecutable(this.options.binary, this.options.path);
    if (binary === undefined) {
      throw engineFailure('EngineNotFound', `The engine's program ${this.options.binary} is not installed`);
    }
    const id = randomUUID();
    const attributes = { 'process.executable.name': 'rke', 'crate.run.id': id, 'crate.run.owner': task.clusterUid };
    return withSpan(`rke ${kind}`, { attributes }, () => this.runAs(id, kind, task, binary));
  }

  private async runAs(id: string, kind: EngineCommand, task: EngineTask, binary: string): Promise<void> {
    const workspace = new RkeWorkspace(join(await this.options.workspaceRoot(), id));
    const { clusterUid, epoch } = task;
    const mirror = new StateMirror({ secrets: this.options.secrets, workspace, clusterUid, runId: id, epoch });
    // The row first: a folder that no open run names is swept away at the next start.
    const { config, generation, drains = false } = task;
    const about = { configHash: hashEngineTask(task), config, generation, drains };
    await this.options.liveness.look();
    await this.options.runs.open({ id, clusterUid, kind, ...about, epoch, workspace: workspace.folder });

    const heartbeat = new RunHeartbeat(this.options.runs, id, this.options.logger);
    try {
      await this.follow({ id, kind, binary, task, workspace, mirror, lost: heartbeat.lost });
    } finally {
      heartbeat.stop();
    }
  }

  /** Runs the program, and keeps what came of it. */
  private async follow(run: Omit<RunContext, 'log'>): Promise<void> {
    const { id, kind, task, workspace } = run;
    const log = await this.options.logs.open(task.clusterUid, id);
    const { traceId } = currentContext();
    log.append(`=== rke ${kind}, run ${id}${traceId === undefined ? '' : `, trace ${traceId}`}`);
    const startedAt = performance.now();
    const failure = await this.attempt({ ...run, log });
    log.append(failure === undefined ? '=== run succeeded' : `=== run failed: ${failure.message}`);
    const outcome = failure?.details.reason ?? (failure === undefined ? SUCCEEDED : failure.code);
    this.durations.observe((performance.now() - startedAt) / 1000, { kind, outcome });
    await this.keepOutcome({ ...run, log }, failure);
    // What it was for is stored, and how the run ended is worth more: the next start sweeps what is left.
    await workspace.remove().catch((error: unknown) => {
      this.options.logger.warn('Removing the folder of an engine run failed', { runId: id, error });
    });
    if (failure !== undefined) throw failure;
  }

  /**
   * While this fails the run stays open and its folder stays, for `settleEarlierRuns` to keep the state; and all of it is done again. Throws
   * Unavailable in the end, also where the run failed for good, so that another pass comes.
   */
  private async keepOutcome(run: RunContext, failure: PlatformError | undefined): Promise<void> {
    const { id, kind, task, workspace, mirror, log } = run;
    const keep = async (): Promise<void> => {
      await mirror.sync();
      await this.keepKubeconfig(workspace, kind, task);
      // Before the row says that the run is over, or a reader would stop short of its last lines.
      await log.flush();
      await this.options.runs.close(id, failure === undefined ? 'succeeded' : 'failed');
    };
    await keepTrying(keep, this.options.keepTryingMs).catch((error: unknown) => {
      throw hasCode(error, 'Unavailable', 'Timeout') ? notKept(error, failure) : error;
    });
  }

  /** Gives what went wrong instead of throwing it, because what the engine left behind is kept in every case. */
  private async attempt(run: RunContext): Promise<PlatformError | undefined> {
    const ended = new AbortController();
    try {
      const booting = await this.booting(run.kind, run.task);
      const sshKey = await this.prepare(run, booting);
      await run.mirror.restore();
      const following = run.mirror.follow(ended.signal);
      try {
        await this.execute(run, { sshKey, booting });
      } finally {
        ended.abort();
        await following;
      }
      return undefined;
    } catch (error) {
      return toPlatformError(error);
    } finally {
      await run.workspace.removeSshKey();
    }
  }

  private async prepare({ workspace, task }: RunContext, booting: ReadonlySet<string>): Promise<Uint8Array> {
    const { clusterUid, config, silentWorkers = [] } = task;
    const sshKey = await this.options.secrets.find(clusterUid, SECRET_KINDS.sshPrivateKey);
    if (!sshKey) throw invariant('The engine was started before the SSH key was made');
    await workspace.create();
    const away = silentWorkers.filter((address) => !booting.has(address)).length;
    await workspace.writeConfig(configForRun(config, { ...task, silentWorkers: away }));
    await workspace.writeSshKey(sshKey.plain);
    return sshKey.plain;
  }

  private async execute(run: RunContext, { sshKey, booting }: Prepared): Promise<void> {
    const { id, kind, binary, task, workspace, mirror, log, lost } = run;
    const progress = new RkeProgress(kind);
    const failures = new RkeFailures(booting, hostsWithoutEtcd(task.config));
    const span = currentSpan();
    task.onProgress(progress.current());
    const result = await runProcess({
      command: binary,
      args: [...(kind === 'up' ? ['up'] : ['remove', '--force']), '--config', workspace.configPath],
      cwd: workspace.folder,
      env: { PATH: this.options.path, HOME: workspace.folder },
      redact: [Buffer.from(sshKey).toString('utf8')],
      onStart: (identity) => this.options.runs.saveIdentity(id, identity),
      onLine: (_stream, line) => {
        const parsed = parseRkeLogLine(line);
        log.append(parsed ? readable(parsed) : line);
        if (!parsed) return;
        failures.read(parsed);
        mirror.read(parsed);
        const moved = progress.read(parsed);
        if (!moved) return;
        span.event(moved.message);
        task.onProgress(moved);
      },
      timeoutMs: runLimitMs(this.options.timeoutMs, task),
      graceMs: this.options.graceMs,
      signal: AbortSignal.any([task.signal, lost]),
    });
    const failure = failures.explain(result);
    if (failure) throw failure;
  }

  /** The engine writes the address of a machine; everybody goes through the load balancer instead. */
  private async keepKubeconfig(workspace: RkeWorkspace, kind: EngineCommand, task: EngineTask): Promise<void> {
    const text = kind === 'up' ? await workspace.readKubeconfig() : undefined;
    if (text === undefined) return;
    const kubeconfig = parseKubeconfig(text);
    const server = task.server;
    const name = kubeconfig['current-context'];
    const stored = server === undefined ? text : formatKubeconfig(kubeconfigForServer(kubeconfig, name, server));
    await this.options.secrets.put(task.clusterUid, SECRET_KINDS.kubeconfig, Buffer.from(stored), {
      epoch: task.epoch,
    });
  }
}

/** What a person changed is to be applied: nothing counts as applied until a run has succeeded after it. */
function appliedRun([newest]: readonly EngineRun[]): EngineRun | undefined {
  return newest && isDone(newest) ? newest : undefined;
}

/** Those after which some machines may be otherwise than others. One of an older release beside this one may be the newest. */
function sinceDone(runs: readonly EngineRun[]): readonly EngineRun[] {
  const end = runs.findIndex(isDone);
  return end < 0 ? runs : runs.slice(0, end);
}

/** Whether all machines were brought to what was asked for. */
function isDone({ kind, state }: EngineRun): boolean {
  return kind === 'up' && state === 'succeeded';
}

/** The log has times of its own. */
function readable({ level, message }: RkeLogLine): string {
  return level === 'info' ? message : `${level}: ${message}`;
}

function notKept(cause: unknown, failure: PlatformError | undefined): PlatformError {
  const ended = `The engine has ${failure ? `failed (${failure.message})` : 'ended'}`;
  return new PlatformError('Unavailable', `${ended}, and what came of its run could not be stored`, {
    cause,
    details: { reason: 'RunNotClosed', remedy: 'Nothing to do: the next pass stores it once the database answers' },
  });
}

interface Prepared {
  readonly sshKey: Uint8Array;
  /** Addresses of machines that may still be in their first boot. */
  readonly booting: ReadonlySet<string>;
}

interface RunContext {
  readonly id: string;
  readonly kind: EngineCommand;
  readonly binary: string;
  readonly task: EngineTask;
  readonly workspace: RkeWorkspace;
  readonly mirror: StateMirror;
  /** Fires when somebody else has closed the run. */
  readonly lost: AbortSignal;
  readonly log: RunLogWriter;
}
