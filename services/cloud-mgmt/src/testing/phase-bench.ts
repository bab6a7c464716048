import { randomUUID } from 'node:crypto';
import {
  conditionTrue,
  findCondition,
  mergeConditions,
  type CloudAccount,
  type ConditionFact,
  type InfrastructureStatus,
} from '@crate/api';
import { GuardedPolicyReviewer, ScriptedPolicyReviewer, type WhenUnavailable } from '@crate/messaging';
import { settled, type Pass } from '@crate/reconcile';
import type { LastSetBack } from '@crate/service-host';
import { InMemoryLogger } from '@crate/telemetry';
import { TerraformSlots } from '@crate/terraform';
import { DeletionTargets } from '../deletion/deletion-target.js';
import { InfrastructureClouds } from '../infrastructure/infrastructure-cloud.js';
import { AwsInfrastructureStack } from '../infrastructure/infrastructure-stack.js';
import { openScope, type InfrastructureScope } from '../infrastructure/infrastructure.scope.js';
import { infrastructureStatus } from '../infrastructure/infrastructure.status.js';
import { DestroyPhase } from '../infrastructure/phases/destroy.phase.js';
import { StackPhase } from '../infrastructure/phases/stack.phase.js';
import { StateKeeper } from '../terraform-run/state-keeper.js';
import { InMemoryCloud, ScriptedExecutor } from './in-memory-cloud.js';

/** What the phases of an Infrastructure work with, in memory; Terraform, the provider and policies are played. */
export class PhaseBench {
  readonly cloud = new InMemoryCloud();
  readonly executor = new ScriptedExecutor();
  readonly stack = new AwsInfrastructureStack(['10.0.0.0/8'], 'installation-1');
  readonly slots = new TerraformSlots(1);
  readonly states = new StateKeeper(this.cloud.secrets);
  readonly clouds = new InfrastructureClouds(this.cloud.providers, this.cloud.credentials);
  readonly policies = new ScriptedPolicyReviewer();
  readonly whenUnavailable: { TerraformPlan?: WhenUnavailable } = {};
  readonly guarded = new GuardedPolicyReviewer(this.policies, {
    whenUnavailable: this.whenUnavailable,
    logger: new InMemoryLogger(),
  });
  /** The memory was set back then, if ever. */
  setBack: LastSetBack | undefined;
  readonly targets = new DeletionTargets({
    ...{ accounts: this.cloud.accounts, states: this.states, runs: this.cloud.runs, clouds: this.clouds },
    recovery: { findLast: () => Promise.resolve(this.setBack) },
  });

  destroyPhase(): DestroyPhase {
    const { targets, executor, states, slots, stack, guarded: policies } = this;
    return new DestroyPhase({ targets, executor, states, runs: this.cloud.runs, slots, stack, policies });
  }

  async accountThatIs(fact: ConditionFact | undefined): Promise<CloudAccount> {
    const account = await this.cloud.ensureAccount();
    const conditions = fact ? mergeConditions([], [fact], { generation: 1, now: new Date(0) }) : undefined;
    return { ...account, status: { ...(conditions ? { conditions } : {}) } };
  }

  /** A scope as far as the stack phase brings it. */
  async aScope(): Promise<InfrastructureScope> {
    const account = await this.accountThatIs(conditionTrue('Ready', 'Ready'));
    const scope = openScope(await this.cloud.ensureInfrastructure());
    scope.account = account;
    await this.look(scope);
    return scope;
  }

  /** Has the stack phase look at what is stored. */
  async look(scope: InfrastructureScope): Promise<void> {
    scope.stored = await this.states.open(scope.infrastructure.metadata.uid);
    await new StackPhase(this.stack, this.cloud.runs, { findLast: () => Promise.resolve(this.setBack) }).run(scope);
  }

  /** A run of Terraform that ended like that. */
  async recordRun(infrastructureUid: string, state: 'succeeded' | 'failed'): Promise<void> {
    const id = randomUUID();
    await this.cloud.runs.open({ id, infrastructureUid, kind: 'apply', epoch: 1n, generation: 1 });
    await this.cloud.runs.close(id, state);
  }

  async storeState(uid: string, resources: readonly unknown[]): Promise<void> {
    const state = { version: 4, serial: 1, lineage: 'a', outputs: {}, resources };
    await this.cloud.secrets.put(uid, 'terraform-state', Buffer.from(JSON.stringify(state)));
  }
}

/** As a state has it. */
export const aMachine = (name: string, instance_state: string): unknown => ({
  ...{ mode: 'managed', type: 'aws_instance', name },
  instances: [{ attributes: { id: `i-${name}`, instance_state } }],
});

/** As a state has it. */
export const aVpc = { mode: 'managed', type: 'aws_vpc', name: 'vpc', instances: [{ attributes: { id: 'vpc-1' } }] };

/** What a pass says of an Infrastructure once it has ended. */
export function statusAfter(
  scope: InfrastructureScope,
  pass: Pass = { ok: true, outcome: settled },
): InfrastructureStatus {
  return infrastructureStatus(scope, pass, { now: new Date(0), traceId: 'trace', warnAfterMs: 1 });
}

export function compliance(scope: InfrastructureScope, pass?: Pass): string {
  const found = findCondition(statusAfter(scope, pass).conditions, 'PolicyCompliant');
  return `${found?.status} ${found?.reason}`;
}
