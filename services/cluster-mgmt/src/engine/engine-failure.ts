import { isPlatformError, PlatformError, type ErrorCode, type ErrorDetails, type RetryPolicy } from '@crate/errors';

/** Stable codes of what stops an engine. */
export type EngineFailureCode =
  /** Surfaces when a machine does not let the engine in. */
  | 'SshUnreachable'
  /** Surfaces when a machine lets the engine in, and no Docker answers there: it is not installed yet, or never will be. */
  | 'DockerNotReady'
  /** As `DockerNotReady`, of machines alone that may still be in their first boot: waited for, so it surfaces as the end of a run only. */
  | 'FirstBoot'
  /** Surfaces when Docker on a machine is too new for the engine. */
  | 'DockerNotSupported'
  /** Surfaces when the engine cannot bring up the asked-for Kubernetes version. */
  | 'VersionNotSupported'
  /** Surfaces when the engine refuses its configuration. */
  | 'EngineConfigRejected'
  /** Surfaces when the engine's program is not installed where the service looks. */
  | 'EngineNotFound'
  /** Surfaces when the API server or etcd did not come up on the machines. */
  | 'ControlPlaneFailed'
  /** Surfaces when what makes a machine a node does not come up there. */
  | 'NodeFailed'
  /** Surfaces when the pods of a node that is to be upgraded did not go in time. */
  | 'NodeNotDrained'
  /** Surfaces when all machines that etcd ran on were replaced, and the engine could use all that there are, but for those that boot. */
  | 'EtcdLost'
  /** Surfaces when a run took longer than it may. */
  | 'Timeout'
  /** Surfaces when the stored engine state was changed outside of the platform. */
  | 'StateTampered'
  /** Surfaces when the stored engine state is older than the one that was stored last. */
  | 'StateRolledBack'
  /** Surfaces when the stored engine state is that of another cluster. */
  | 'StateForeign'
  /** Surfaces when the engine gave up for any other reason. */
  | 'EngineFailed';

interface FailureKind {
  readonly code: ErrorCode;
  readonly retry: RetryPolicy;
  readonly field: string;
  readonly remedy: string;
}

/** What to do about a state that is not the one that was stored last. */
export const STATE_DAMAGED_REMEDY =
  'Find out who changed the database; then put a good version in place with "crate state restore --engine". Until then the engine does not run';

/** Nothing is done to a cluster on a state that is not its own newest: a person has to look first. */
const STATE_DAMAGED: FailureKind = {
  code: 'Unavailable',
  retry: 'slow',
  field: 'spec.engine',
  remedy: STATE_DAMAGED_REMEDY,
};

const KINDS: Readonly<Record<EngineFailureCode, FailureKind>> = {
  SshUnreachable: {
    code: 'Unavailable',
    retry: 'backoff',
    field: 'spec.nodes',
    remedy: 'Check that the machines run, and that their network lets SSH in from the bastion host',
  },
  DockerNotReady: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.nodes',
    remedy:
      'Let the machines reach download.docker.com; /var/log/cloud-init-output.log there says what their first boot met. Replace those that never had Docker, and start it on those that were nodes: etcd may be on one',
  },
  FirstBoot: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.nodes',
    remedy: 'Nothing to do: new machines install Docker within minutes',
  },
  DockerNotSupported: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.nodes',
    remedy: 'Install Docker 28 on the machines that the message names, and hold it there, or replace the machines',
  },
  VersionNotSupported: {
    code: 'InvalidSpec',
    retry: 'never',
    field: 'spec.version',
    remedy: 'Ask for a version that the installed engine supports',
  },
  EngineConfigRejected: {
    code: 'InvalidSpec',
    retry: 'never',
    field: 'spec',
    remedy: 'Change the part of the specification that the message names',
  },
  EngineNotFound: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.engine',
    remedy: 'Ask the platform operator to install the engine, or to set CRATE_RKE_BINARY',
  },
  StateTampered: STATE_DAMAGED,
  StateRolledBack: STATE_DAMAGED,
  StateForeign: STATE_DAMAGED,
  ControlPlaneFailed: {
    code: 'Unavailable',
    retry: 'backoff',
    field: 'spec.nodes',
    remedy: 'It is tried again; if it stays, check the size and network of the control-plane machines',
  },
  NodeFailed: {
    code: 'Unavailable',
    retry: 'backoff',
    field: 'spec.nodes',
    remedy:
      'It is tried again; if it stays, look at the machine that the message names: its disk, its memory, and whether Docker can pull images there',
  },
  NodeNotDrained: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.nodes',
    remedy:
      'Let the pods go that the message names: more replicas, or a PodDisruptionBudget that lets one of them go; where they have no other worker to go to, add one. Those of an add-on go when that is taken out of spec.addOns. It is tried again, and goes on where it was',
  },
  EtcdLost: {
    code: 'Unavailable',
    retry: 'slow',
    field: 'spec.nodes',
    remedy:
      'What etcd held is gone with its machines: delete the cluster and create it anew, with three control-plane machines, of which it outlives one',
  },
  Timeout: {
    code: 'Timeout',
    retry: 'backoff',
    field: 'spec.nodes',
    remedy: 'It is tried again; if it stays, check that the machines can pull images',
  },
  EngineFailed: {
    code: 'Unavailable',
    retry: 'backoff',
    field: 'spec',
    remedy: 'It is tried again; the log of the engine run tells more',
  },
};

/** All of them. */
export const ENGINE_FAILURE_CODES = Object.keys(KINDS) as readonly EngineFailureCode[];

/** The error that an engine's failure surfaces as. `details.reason` is its stable code. */
export function engineFailure(reason: EngineFailureCode, message: string, cause?: unknown): PlatformError {
  const { code, retry, field, remedy } = KINDS[reason];
  const details: ErrorDetails = { reason, field, remedy };
  return new PlatformError(code, message, { retry, details, cause });
}

/** True for an error that `engineFailure` made. */
export function isEngineFailure(error: unknown): boolean {
  return isPlatformError(error) && (error.details.reason ?? '') in KINDS;
}
