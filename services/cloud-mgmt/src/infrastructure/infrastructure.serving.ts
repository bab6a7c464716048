import { INFRASTRUCTURE, type Infrastructure } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { ServedKind, SubresourceHandler } from '@crate/resource-server';
import { isWorkAhead, type RunLogs } from '@crate/run-log';
import type { DriftRecordRepository } from '../drift/drift-record.repository.js';
import { driftReader } from '../drift/drift-report.js';
import type { TerraformRunRepository } from '../terraform-run/terraform-run.repository.js';
import type { StateKeeper } from '../terraform-run/state-keeper.js';
import { planReader } from './infrastructure.plan.js';
import { resourcesReader } from './infrastructure.resources.js';

export interface InfrastructureServingParts {
  readonly infrastructures: Pick<TypedClient<Infrastructure>, 'find'>;
  readonly runs: TerraformRunRepository;
  readonly logs: RunLogs;
  readonly drift: DriftRecordRepository;
  readonly keeper: Pick<StateKeeper, 'open'>;
  /** What is served of Terraform states. */
  readonly states: Readonly<Record<string, SubresourceHandler>>;
}

/** The kind as it is served, with what its runs printed and planned. */
export function serveInfrastructures({
  infrastructures,
  runs,
  logs,
  drift,
  keeper,
  states,
}: InfrastructureServingParts): ServedKind {
  return {
    definition: INFRASTRUCTURE,
    subresources: {
      plan: planReader(runs),
      drift: driftReader(drift),
      resources: resourcesReader(keeper),
      ...states,
      logs: {
        readLog: ({ metadata: { uid } }, { name, namespace }, options, { signal }) => {
          const isOver = async (): Promise<boolean> => {
            const found = await infrastructures.find(name, namespace);
            if (found && isWorkAhead(found)) return false;
            return (await runs.list(uid)).every(({ state }) => state !== 'running');
          };
          return logs.read(uid, { ...options, isOver, signal });
        },
      },
    },
  };
}
