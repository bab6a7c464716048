import { FORCE_ANNOTATION, FORCED_ANNOTATION, type DeletionRecord, type Infrastructure } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { InMemoryEventRecorder } from '@crate/reconcile';
import { TerraformError } from '@crate/terraform';
import { DeletionRecords, deletionRecordName } from '../deletion/deletion-records.js';
import { clusterTagOf } from '../deletion/leftovers.js';
import { LeftoverRemover, type LeftoverTask } from '../deletion/leftover-remover.js';
import { LeftoversPhase } from '../deletion/phases/leftovers.phase.js';
import { ProofPhase } from '../deletion/phases/proof.phase.js';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { NAMESPACE, type ScriptedProvider } from './in-memory-cloud.js';
import { PhaseBench } from './phase-bench.js';

const NOW = new Date('2026-01-31T12:00:00Z');

/** Removes what it is told to, at once, unless it is told to fail. */
class ScriptedRemover extends LeftoverRemover {
  /** What it was told to remove. */
  readonly tried: string[] = [];
  readonly removed: string[] = [];
  failure: Error | undefined;
  isWithoutEffect = false;

  constructor(private readonly provider: ScriptedProvider) {
    super();
  }

  override remove({ leftovers }: LeftoverTask): Promise<void> {
    this.tried.push(...leftovers.map(({ id }) => id));
    if (this.failure) return Promise.reject(this.failure);
    for (const { id } of leftovers) this.removed.push(id);
    if (!this.isWithoutEffect) this.provider.owned = this.provider.owned.filter(({ id }) => !this.removed.includes(id));
    return Promise.resolve();
  }
}

/** An Infrastructure that was built, and is to be deleted. */
export class DeletionBench extends PhaseBench {
  readonly events = new InMemoryEventRecorder();
  readonly remover = new ScriptedRemover(this.cloud.provider);
  infrastructure!: Infrastructure;

  private constructor() {
    super();
  }

  static async start(): Promise<DeletionBench> {
    const bench = new DeletionBench();
    await bench.cloud.ensureAccount();
    bench.infrastructure = await bench.cloud.ensureInfrastructure();
    bench.infrastructure.metadata.deletionTimestamp = '2026-01-31T11:00:00Z';
    await bench.recordRun(bench.uid, 'succeeded');
    return bench;
  }

  get uid(): string {
    return this.infrastructure.metadata.uid;
  }

  scope(): InfrastructureScope {
    return openScope(this.infrastructure);
  }

  leftoversPhase(): LeftoversPhase {
    return new LeftoversPhase(this.targets, this.remover);
  }

  proofPhase(): ProofPhase {
    const now = (): Date => NOW;
    const records = new DeletionRecords({ records: this.cloud.records, events: this.events, now });
    return new ProofPhase({ targets: this.targets, records, now });
  }

  /** What was written down of it. */
  async record(): Promise<DeletionRecord | undefined> {
    return this.cloud.records.find(deletionRecordName(this.infrastructure), NAMESPACE);
  }

  /** Somebody forces the deletion. */
  force(): void {
    this.infrastructure.metadata.annotations = {
      ...this.infrastructure.metadata.annotations,
      [FORCE_ANNOTATION]: 'the account is closed',
      [FORCED_ANNOTATION]: '2026-01-31T11:30:00Z ada',
    };
  }

  /** What Terraform made, as the provider lists it. */
  ours(type: string, id: string): OwnedResource {
    return { ...theirs(type, id), tags: { [OWNER_TAGS.infrastructureUid]: this.uid } };
  }

  /** What a controller in the cluster made, as the provider lists it with its tags. */
  left(type: string, id: string): OwnedResource {
    return { ...theirs(type, id), tags: Object.fromEntries([clusterTagOf(this.infrastructure)]) };
  }
}

/** What the cluster made, or anybody else, as the provider lists it. */
export const theirs = (type: string, id: string): OwnedResource => ({ type, id, importId: id, tags: {} });

/** What Terraform fails with where something is in the way. */
export function inUse(): TerraformError {
  return new TerraformError({
    code: 'StillInUse',
    message: "DependencyViolation: The vpc 'vpc-0123456789abcdef0' has dependencies and cannot be deleted",
    address: undefined,
    providerCode: 'DependencyViolation',
    remedy: 'Remove what still uses the resource',
    retryable: true,
  });
}
