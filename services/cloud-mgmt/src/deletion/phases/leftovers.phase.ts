import { deletionForcedOf, type Infrastructure } from '@crate/api';
import { OWNER_TAGS, type OwnedResource } from '@crate/infra-aws';
import { settled, type Outcome, type ReconcileContext } from '@crate/reconcile';
import { terraformFailureOf, type TerraformFailure } from '@crate/terraform';
import { isRemovable } from '../../sweep/removal-order.js';
import { reportProgress, type InfrastructureScope } from '../../infrastructure/infrastructure.scope.js';
import { leftBehind, notDestroyed } from '../cloud-blockers.js';
import type { AccessibleTarget, DeletionTargets } from '../deletion-target.js';
import { unlessLockedOut, waitOrGiveUp } from '../give-up.js';
import type { LeftoverRemover, LeftoverTask } from '../leftover-remover.js';
import { leftoversOf } from '../leftovers.js';

const GROUP = 'aws_security_group';

/**
 * Removes the load balancers and volumes that controllers in the cluster made, where the cluster did not do so itself. Before the
 * network goes, which they hold up; the cluster is gone by now, so that nothing new comes.
 */
export class LeftoversPhase {
  constructor(
    private readonly targets: DeletionTargets,
    private readonly remover: LeftoverRemover,
  ) {}

  readonly run = async (scope: InfrastructureScope, context: ReconcileContext): Promise<Outcome> => {
    const target = await this.targets.of(scope.infrastructure);
    // Without the account it is the next phase that says so.
    if (target.kind !== 'accessible') return settled;
    return unlessLockedOut(
      scope,
      context,
      () => this.clear(scope, target, context),
      () => settled,
    );
  };

  private async clear(
    scope: InfrastructureScope,
    { account, cloud }: AccessibleTarget,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const { infrastructure } = scope;
    const list = async (): Promise<Listed> => listedOf(infrastructure, await cloud.listInCluster(context.remoteSignal));
    const { left: found } = await list();
    if (found.length === 0) return settled;

    const leftovers = found.filter(({ type }) => isRemovable(type));
    const failed = await this.remove(scope, { infrastructure, account, leftovers, context });
    const { left, hasGroups } = await list();
    const isForced = deletionForcedOf(infrastructure) !== undefined;
    // Forced, it is left behind only once it cannot be the machines any more.
    if (failed && isHeldByMachines(failed, left) && (hasGroups || !isForced)) {
      scope.blockers = [];
      return settled;
    }
    if (failed && !isForced) throw failed.error;
    return left.length === 0 ? settled : waitOrGiveUp(scope, { blockers: left.map(leftBehind), left, account });
  }

  /** What Terraform failed with, if it did: how bad that is shows in what is left. */
  private async remove(scope: InfrastructureScope, task: LeftoverTask): Promise<Failed | undefined> {
    const { leftovers, context } = task;
    if (leftovers.length === 0) return undefined;
    const message = `Removing ${leftovers.length} load balancers, volumes and security groups that the cluster left`;
    reportProgress(scope, { step: 0, steps: 1, message });
    try {
      await this.remover.remove(task);
      return undefined;
    } catch (error) {
      const failure = context.remoteSignal.aborted ? undefined : terraformFailureOf(error);
      if (!failure) throw error;
      scope.blockers = [notDestroyed(failure, undefined)];
      return { failure, error };
    }
  }
}

interface Listed {
  /** What the cluster left and what holds the network up. */
  readonly left: readonly OwnedResource[];
  /** Whether security groups of the stack are there. */
  readonly hasGroups: boolean;
}

function listedOf(infrastructure: Infrastructure, listed: readonly OwnedResource[]): Listed {
  const { removable } = leftoversOf(infrastructure, listed);
  return {
    // Volumes that nobody has decided about, or that a machine has, hold up nothing; the proof waits for them.
    left: removable.filter(({ isAttached = false }) => !isAttached),
    hasGroups: listed.some(({ type, tags }) => type === GROUP && tags[OWNER_TAGS.infrastructureUid] !== undefined),
  };
}

interface Failed {
  readonly failure: TerraformFailure;
  readonly error: unknown;
}

/**
 * Rules that controllers put into the groups of machines name the group of a load balancer, and hold it until these groups go. They go with the
 * stack, whose network then waits for the group: the next pass takes it away.
 */
function isHeldByMachines({ failure }: Failed, left: readonly OwnedResource[]): boolean {
  return failure.code === 'StillInUse' && left.every(({ type }) => type === GROUP);
}
