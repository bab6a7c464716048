import {
  REPLICA_SILENT_AFTER_MS,
  type PlatformService,
  type ReplicaReport,
  type ServiceReport,
  type ServiceState,
} from '@crate/api';
import type { ServiceAnswer } from './service-answers.js';

/** Of a service that was never heard of. */
const NOTHING: Pick<
  ServiceReport,
  'replicas' | 'queues' | 'leases' | 'omittedLeases' | 'runs' | 'missing' | 'recovering' | 'database'
> = { replicas: [], queues: [], leases: [], omittedLeases: 0, runs: [], missing: [] };

/** A service as people see it. Pure. */
export function serviceOfAnswer(answer: ServiceAnswer): PlatformService {
  const { service: name, answered, report, ageMs, tookMs, message } = answer;
  const { replicas: told, queues, leases, omittedLeases, runs, missing, recovering, database } = report ?? NOTHING;
  const replicas = told.map((replica) => agedReplica(replica, ageMs));
  return {
    name,
    state: stateOf(answer, replicas),
    answered,
    ...(message === undefined ? {} : { message }),
    tookMs,
    ...(report ? { asOf: report.at } : {}),
    ...{ replicas, queues, leases, omittedLeases, runs, missing },
    ...(database ? { migrations: database.migrations } : {}),
    ...(recovering ? { recovering } : {}),
  };
}

/** Nobody said anything since: who was there when it was told may be silent by now. */
function agedReplica(replica: ReplicaReport, ageMs: number): ReplicaReport {
  const silentMs = Math.round(replica.silentMs + ageMs);
  const wasThere = replica.state === 'Ready' || replica.state === 'NotReady';
  const state = wasThere && silentMs > REPLICA_SILENT_AFTER_MS ? 'Silent' : replica.state;
  return { ...replica, silentMs, state };
}

function stateOf({ answered, report }: ServiceAnswer, replicas: readonly ReplicaReport[]): ServiceState {
  if (!report) return 'Unknown';
  if (!answered) return 'Silent';
  const counted = replicas.filter(({ state }) => state !== 'Stopped' && state !== 'Replaced');
  const ready = counted.filter(({ state }) => state === 'Ready').length;
  if (ready === 0) return 'NotReady';
  return ready < counted.length ? 'Degraded' : 'Ready';
}
