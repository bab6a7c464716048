import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CloudAccount, Infrastructure, PlanPreview } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { ScriptedPolicyReviewer } from '@crate/messaging';
import { InMemoryLogParts, RunLogs } from '@crate/run-log';
import { runSandbox, type RunningSandbox } from '@crate/sandbox';
import { InMemorySecretStore } from '@crate/secrets';
import type { LastSetBack } from '@crate/service-host';
import { InMemoryLogger, InMemoryMetrics } from '@crate/telemetry';
import { findTerraform, TerraformRunner, TerraformSlots, type TerraformState } from '@crate/terraform';
import type { AccountCredentialsStore } from '../cloud-account/account-credentials.js';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { AwsInfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { findLostResources } from '../infrastructure/lost-resources.js';
import { PlanPreviewer } from '../plan/plan-previewer.js';
import { readPlan } from '../plan/plan-reading.js';
import { isDoubtful } from '../recovery/doubt.js';
import { CloudProviders } from '../provider/cloud-providers.js';
import { SandboxAwsProvider } from '../provider/sandbox-aws/sandbox-aws-provider.js';
import { InMemoryTerraformRunRepository } from '../terraform-run/in-memory-terraform-run.repository.js';
import { runDurations } from '../terraform-run/run-metrics.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { TerraformExecutor } from '../terraform-run/terraform-executor.js';
import { KEPT_RUNS } from '../terraform-run/terraform-run.repository.js';
import { aSpec } from './a-spec.js';
import { ACCOUNT, NAMESPACE } from './test-cloud.js';

const PATH = '/usr/local/bin:/usr/bin:/bin';
const GRACE_MS = 5_000;
/** Of the uid, in names that are unique in an account. */
const DIGEST = /-[0-9a-f]{8}(?=-|$)/;

/** Real Terraform and the sandbox's cloud under the executor, without the service around it: a run at a time, and no waiting between. */
export class TerraformBench {
  readonly runs = new InMemoryTerraformRunRepository();
  readonly stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
  readonly account = { spec: { provider: 'sandbox-aws', accountId: ACCOUNT } } as CloudAccount;
  /** Of the plans that runs came to, oldest first. */
  readonly digests: string[] = [];
  /** The memory was set back then, if ever. */
  setBack: LastSetBack | undefined;
  private readonly states = new StateKeeper(new InMemorySecretStore());
  private readonly provider: SandboxAwsProvider;
  private epoch = 0n;

  private constructor(
    readonly sandbox: RunningSandbox,
    private readonly directory: string,
    private readonly runner: TerraformRunner,
    private readonly executor: (runs: InMemoryTerraformRunRepository, states: StateKeeper) => TerraformExecutor,
  ) {
    this.provider = new SandboxAwsProvider(sandbox.url);
  }

  static async start(): Promise<TerraformBench> {
    const directory = await mkdtemp(join(tmpdir(), 'crate-terraform-bench-'));
    const logger = new InMemoryLogger();
    const sandbox = await runSandbox({ dataDir: join(directory, 'sandbox'), port: 0, latencyScale: 0, logger });
    const binary = await findTerraform({ path: PATH });
    const runner = new TerraformRunner({ binary, directory: join(directory, 'work'), path: PATH, graceMs: GRACE_MS });
    const logs = new RunLogs({ parts: new InMemoryLogParts(), logger, keepRuns: KEPT_RUNS });
    const ending = { graceMs: GRACE_MS, silentAfterMs: GRACE_MS };
    const durations = runDurations(new InMemoryMetrics());
    return new TerraformBench(
      sandbox,
      directory,
      runner,
      (runs, states) => new TerraformExecutor({ runner, runs, logs, states, logger, durations, ...ending }),
    );
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  anInfrastructure(name: string, changes: Parameters<typeof aSpec>[1] = {}): Infrastructure {
    const metadata = { name, namespace: NAMESPACE, uid: randomUUID(), generation: 1 };
    return { metadata, spec: aSpec(name, changes) } as Infrastructure;
  }

  /** One run, as the phases ask for it. */
  async execute(infrastructure: Infrastructure, kind: 'apply' | 'destroy'): Promise<TerraformState | undefined> {
    const { signal } = new AbortController();
    const { uid, generation } = infrastructure.metadata;
    const access = { accountId: ACCOUNT, credentials: undefined, region: infrastructure.spec.region };
    this.epoch += 1n;
    const isAsked = kind === 'apply' && isDoubtful(this.setBack, (await this.runs.list(uid))[0]);
    return this.executor(this.runs, this.states).execute({
      infrastructureUid: uid,
      owner: infrastructure,
      kind,
      generation,
      mustLook: isAsked,
      document: this.stack.synthesize(infrastructure, this.account).document,
      epoch: this.epoch,
      signal,
      openRuntime: () => this.provider.openRuntime(access, signal),
      closeRuntime: (id) => this.provider.closeRuntime(id),
      findLost: async (state) => {
        const owned = await this.provider.listByTag(access, [OWNER_TAGS.infrastructureUid, uid], signal);
        return findLostResources(this.stack, { infrastructure, account: this.account, owned, state, kind, isAsked });
      },
      review: (plan) => {
        this.digests.push(readPlan(plan, { aliases: this.stack.aliases(infrastructure, this.account) }).digest);
        return Promise.resolve();
      },
      onProgress: () => undefined,
    });
  }

  /** What a run would do. */
  async preview(infrastructure: Infrastructure, destroy = false): Promise<PlanPreview> {
    const credentials = { find: () => Promise.resolve(undefined) } as unknown as AccountCredentialsStore;
    const previewer = new PlanPreviewer({
      infrastructures: { find: () => Promise.resolve(infrastructure) },
      accounts: { find: () => Promise.resolve(this.account) },
      stack: this.stack,
      states: this.states,
      runs: this.runs,
      clouds: new InfrastructureClouds(new CloudProviders({ 'sandbox-aws': this.provider }), credentials),
      recovery: { findLast: () => Promise.resolve(this.setBack) },
      runner: this.runner,
      slots: new TerraformSlots(1),
      policies: new ScriptedPolicyReviewer(),
      release: '0.1.0',
      timeoutMs: 60_000,
    });
    const { metadata, spec } = infrastructure;
    const { signal } = new AbortController();
    const caller = { user: 'ada', groups: [] };
    return previewer.preview(
      { namespace: NAMESPACE, name: metadata.name, spec, destroy },
      { caller, traceId: 't', signal },
    );
  }

  /** Ends the process group of the run that goes on, as a crash of the machine would. */
  async killTerraform({ metadata }: Infrastructure): Promise<void> {
    const [run] = await this.runs.list(metadata.uid);
    if (!run?.identity) throw new Error('No command of Terraform goes on');
    process.kill(-run.identity.pgid, 'SIGKILL');
  }

  /** What the cloud holds, told by what it is and not by ids or digests of them: each as often as it is there. */
  inventory(): string[] {
    return this.objects()
      .map(({ type, tags }) => `${type} ${(tags['Name'] ?? '').replace(DIGEST, '')}`)
      .sort();
  }

  objects(): readonly OwnedResource[] {
    return this.sandbox.cloud.inventory.list({ account: ACCOUNT });
  }
}
