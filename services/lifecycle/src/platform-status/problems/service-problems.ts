import type { PlatformProblem, PlatformService, ReplicaReport } from '@crate/api';
import { critical, runbook, warning } from './problem.js';

/** As the alert CrateReconcileQueueStuck. */
const STUCK_SECONDS = 300;

/** What is to be done about one service. Pure. */
export function serviceProblems(service: PlatformService): readonly PlatformProblem[] {
  if (!service.answered) return [silence(service), ...recovery(service)];
  return [
    ...noneReady(service),
    ...service.replicas.flatMap((replica) => replicaProblems(service.name, replica)),
    ...service.queues
      .filter(({ oldestWaitSeconds }) => oldestWaitSeconds > STUCK_SECONDS)
      .map((queue) =>
        critical({
          area: 'queue',
          subject: `${service.name}/${queue.reconciler}`,
          message: `A key has been due for ${Math.round(queue.oldestWaitSeconds)} s; ${queue.due} are due and ${queue.inWork} in work`,
          remedy: `See whether its replicas are well and whether passes hang: ${runbook('CrateReconcileQueueStuck')}`,
        }),
      ),
    ...orphanedLocks(service),
    ...missingParts(service),
    ...recovery(service),
  ];
}

function silence({ name, state, message = 'Nobody answers', replicas }: PlatformService): PlatformProblem {
  const seen = replicas
    .map(({ lastSeen }) => lastSeen)
    .sort()
    .at(-1);
  const since = seen === undefined ? 'it was never heard of' : `last seen ${seen}`;
  return critical({
    area: 'service',
    subject: name,
    message: `${state === 'Unknown' ? 'Is not there' : 'Does not answer'} (${since}): ${message}`,
    remedy: `See whether its processes run and reach NATS, by their logs and /readyz: ${runbook('CrateServiceDown')}`,
  });
}

function noneReady({ name, state }: PlatformService): readonly PlatformProblem[] {
  if (state !== 'NotReady') return [];
  const message = 'No replica of it is ready';
  const remedy = `See below which checks fail, or whether it still starts: ${runbook('CrateServiceDown')}`;
  return [critical({ area: 'service', subject: name, message, remedy })];
}

function replicaProblems(service: string, { name, state, lastSeen, checks, nats }: ReplicaReport): PlatformProblem[] {
  if (state === 'Silent') {
    const remedy = `See whether the process or its host is there, and end it if it hangs: what others ask of it gets no answer. It is forgotten after an hour: ${runbook('CrateReplicaDown')}`;
    return [
      warning({
        area: 'service',
        subject: name,
        message: `A replica of ${service} is silent since ${lastSeen}`,
        remedy,
      }),
    ];
  }
  if (state !== 'NotReady') return [];
  const failed = checks.filter(({ ok }) => !ok).map((check) => [check.name, check.message].filter(Boolean).join(': '));
  const message = `A replica of ${service} is not ready: ${failed.join('; ') || 'it does not say why'}`;
  const remedy = nats.connected
    ? `See its log, and whether it reaches PostgreSQL: ${runbook('CrateDatabaseUnreachable')}`
    : `See whether it reaches NATS: ${runbook('CrateNatsDisconnected')}`;
  return [warning({ area: 'service', subject: name, message, remedy })];
}

/** Of work the engine takes care by itself within half a minute; of a run's state its next run. A person's is a person's. */
function orphanedLocks({ leases }: PlatformService): readonly PlatformProblem[] {
  const byHand = leases.filter(({ kind, state, epoch }) => kind === 'TerraformState' && state === 'orphaned' && !epoch);
  return byHand.map(({ namespace, name, holder, since }) =>
    warning({
      area: 'lease',
      subject: namespace === undefined ? name : `${namespace}/${name}`,
      message: `The Terraform state is locked by ${holder} since ${since}, who was not heard of for an hour`,
      remedy: `Ask them, then: crate state unlock ${name}${namespace === undefined ? '' : ` -n ${namespace}`}; ${runbook('CrateStateLockOrphaned')}`,
    }),
  );
}

function missingParts({ name, missing }: PlatformService): readonly PlatformProblem[] {
  return missing.map(({ part, message }) =>
    warning({
      area: 'service',
      subject: name,
      message: `Could not tell its ${part}: ${message}`,
      remedy:
        'See whether its database answers, and how long statements take there; forms of a newer release are known once lifecycle is of it, too',
    }),
  );
}

function recovery({ name, recovering }: PlatformService): readonly PlatformProblem[] {
  if (!recovering) return [];
  const message = `Recovers since ${recovering.since}: ${recovering.reason}; nothing is destroyed until somebody confirms`;
  const remedy = `Look at what the backup forgot, then: crate recovery confirm; ${runbook('CrateRecovering')}`;
  return [warning({ area: 'recovery', subject: name, message, remedy })];
}
