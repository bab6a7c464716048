import type { RkeNode, UpRequest } from '../rke-protocol.js';
import { RunFailure } from './run-events.js';

type Plane = keyof UpRequest['upgrade']['maxUnavailable'];

/**
 * Throws RunFailure when so many hosts of a plane cannot be reached that no other may be away: the engine then does nothing for any of them.
 * Source: services/node_util.go of RKE
 */
export function requireReachable({ upgrade, nodes }: UpRequest, plane: Plane, closed: readonly RkeNode[]): void {
  const [wanted, away] = [nodes, closed].map((hosts) => hosts.filter(isOf(plane)).length) as [number, number];
  if (away === 0 || away < mostAway(upgrade.maxUnavailable[plane], wanted)) return;
  throw new RunFailure(
    `cannot proceed with upgrade of ${plane} since ${away} host(s) cannot be reached prior to upgrade`,
  );
}

/** Throws RunFailure when a host of the control plane was left out, however many may be: the engine goes no further. */
export function requireWholeControlPlane(closed: readonly RkeNode[]): void {
  const names = closed.filter(isOf('controlplane')).map(({ hostname }) => hostname);
  if (names.length === 0) return;
  const why = `provisioning incomplete, host(s) [${names.join(',')}] skipped because they could not be contacted`;
  throw new RunFailure(`[controlPlane] Failed to upgrade Control Plane: ${why}`);
}

/** A host of the control plane is none of the workers to the engine, also where it is both. */
function isOf(plane: Plane): (host: RkeNode) => boolean {
  return ({ roles }) => roles.includes('controlplane') === (plane === 'controlplane');
}

function mostAway(stated: string, wanted: number): number {
  const number = Number.parseInt(stated, 10);
  return Math.max(1, stated.endsWith('%') ? Math.floor((wanted * number) / 100) : number);
}
