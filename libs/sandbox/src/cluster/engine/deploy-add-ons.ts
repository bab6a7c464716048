import type { UpRequest } from '../rke-protocol.js';
import type { RunningCluster } from '../running-cluster.js';
import { applyManifests, parseManifests } from './apply-manifests.js';
import { info, RunFailure, type Run } from './run-events.js';
import { systemComponents } from './system-components.js';

/** What every cluster has, and then what its configuration says; `stage` is what one job takes. */
export async function* deployAddOns(request: UpRequest, running: RunningCluster, stage: () => Promise<void>): Run {
  for (const { logStart, job, logEnd, manifests } of systemComponents(request)) {
    yield info(logStart);
    yield info(`[addons] Executing deploy job ${job}`);
    await stage();
    await applyManifests(running, manifests);
    yield info(logEnd);
  }
  yield* deployUserAddOns(request, running);
}

async function* deployUserAddOns({ addons }: UpRequest, running: RunningCluster): Run {
  yield info('[addons] Setting up user addons');
  if (addons.trim() === '') {
    yield info('[addons] no user addons defined');
    return;
  }
  yield info('[addons] Executing deploy job rke-user-addon');
  try {
    await applyManifests(running, parseManifests(addons));
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new RunFailure(`Failed to deploy addon execute job [rke-user-addon]: ${why}`, { cause: error });
  }
  yield info('[addons] User addons deployed successfully');
}
