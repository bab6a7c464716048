import type { PhaseProgress, Progress } from '@crate/api';
import type { Pass } from '@crate/reconcile';
import type { ClusterScope } from './cluster.scope.js';
import { isReadyNow } from './phases/child.js';

interface Stage {
  readonly name: string;
  readonly done: boolean;
  readonly progress?: Progress | undefined;
  readonly failed?: boolean;
}

/** One entry per phase of the journey, so that a page or a terminal can draw one bar each. */
export function clusterPhases(scope: ClusterScope, pass: Pass): PhaseProgress[] {
  const stages = scope.cluster.metadata.deletionTimestamp ? tearDownStages(scope, pass) : bringUpStages(scope, pass);
  const current = stages.findIndex((stage) => !stage.done);
  return stages.map((stage, index) => {
    if (stage.done) return entry(stage.name, 'Done', { step: 1, steps: 1, message: 'Done' });
    if (index > current) return entry(stage.name, 'Pending', { step: 0, steps: 1, message: 'Not started yet' });
    const state = stage.failed === true || !pass.ok ? 'Failed' : 'Running';
    return entry(stage.name, state, stage.progress ?? { step: 0, steps: 1, message: 'Under way' });
  });
}

function bringUpStages(scope: ClusterScope, pass: Pass): Stage[] {
  const { review, infrastructure, kubernetes, installations = [], addOns } = scope;
  const settled = pass.ok && pass.outcome.kind === 'settled';
  const readyAddOns = installations.filter(isReadyNow).length;
  const infrastructureDone = infrastructure !== undefined && isReadyNow(infrastructure);
  return [
    { name: 'Policy', done: review?.allowed === true },
    {
      name: 'Infrastructure',
      done: infrastructureDone,
      progress: infrastructure?.status?.progress,
      failed: infrastructure?.status?.failure !== undefined,
    },
    {
      name: 'Kubernetes',
      done: infrastructureDone && kubernetes !== undefined && isReadyNow(kubernetes),
      progress: kubernetes?.status?.progress,
      failed: kubernetes?.status?.failure !== undefined,
    },
    {
      name: 'Add-ons',
      done: settled,
      progress: {
        step: readyAddOns,
        steps: addOns?.length ?? 1,
        message: `${readyAddOns} of ${addOns?.length ?? 0} ready`,
      },
      failed: installations.some((installation) => installation.status?.failure !== undefined),
    },
  ];
}

function tearDownStages(scope: ClusterScope, pass: Pass): Stage[] {
  const waitingFor = pass.ok && pass.outcome.kind === 'waiting' ? pass.outcome.reason : '';
  const settled = pass.ok && pass.outcome.kind === 'settled';
  const { kubernetes, infrastructure } = scope;
  return [
    { name: 'Remove add-ons', done: settled || kubernetes !== undefined || infrastructure !== undefined },
    {
      name: 'Remove Kubernetes',
      done: settled || infrastructure !== undefined || waitingFor === 'WaitingForInfrastructureRemoval',
      progress: kubernetes?.status?.progress,
      failed: kubernetes?.status?.failure !== undefined,
    },
    {
      name: 'Remove infrastructure',
      done: settled,
      progress: infrastructure?.status?.progress,
      failed: infrastructure?.status?.failure !== undefined,
    },
  ];
}

function entry(name: string, state: PhaseProgress['state'], progress: Progress): PhaseProgress {
  return { name, state, ...progress };
}
