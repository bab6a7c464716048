import { CLUSTER, type LabelSelector, type NotificationChannel, type Project } from '@crate/api';
import { matchesLabels, type LabelRequirement } from '@crate/resource-store';
import { isAllClear, type ToldEvent } from './telling.js';

/** Parts of a Cluster: what only those tell who look at the part itself is told to who asks for the kind. */
const PARTS: ReadonlySet<string> = new Set(['Infrastructure', 'KubernetesCluster', 'AddOnInstallation']);

/** Whether it was made in this very Project, and not in an earlier one of the name that it outlived. Pure. */
export function belongsTo({ metadata }: NotificationChannel, project: Project | undefined): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === project?.metadata.uid) ?? false;
}

/**
 * Whether a channel wants to hear of it, the labels of the Cluster aside; `after-trouble`: only when it told that the object was not well.
 * Pure.
 */
export function wants(channel: NotificationChannel, told: ToldEvent): boolean | 'after-trouble' {
  const { spec, metadata } = channel;
  if (spec.paused || metadata.deletionTimestamp || metadata.namespace !== told.project) return false;
  // What happened before somebody asked for it.
  if (Date.parse(told.lastAt) < Date.parse(metadata.creationTimestamp)) return false;
  const { kinds, reasons } = spec.match ?? {};
  if (!isOfKinds(kinds, told)) return endsTroubleOfParts(kinds, told) && 'after-trouble';
  if (spec.severities.includes(told.severity) && (!reasons || reasons.includes(told.reason))) return true;
  return isAllClear(told) && 'after-trouble';
}

function isOfKinds(kinds: readonly string[] | undefined, { object, part }: ToldEvent): boolean {
  if (!kinds) return !PARTS.has(object.kind);
  return kinds.includes(object.kind) || (part !== undefined && kinds.includes(part.kind));
}

/** That a part is not well is told of the Cluster, and so is that it is well again: a Cluster that is has no part that is not. */
function endsTroubleOfParts(kinds: readonly string[] = [], told: ToldEvent): boolean {
  return told.object.kind === CLUSTER.kind && isAllClear(told) && kinds.some((kind) => PARTS.has(kind));
}

/** Whether a Cluster with these labels is selected; one that is gone has none that are known, and is not. Pure. */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined) return true;
  return labels !== undefined && matchesLabels(requirementsOf(selector), labels);
}

function requirementsOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly LabelRequirement[] {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  ];
}
