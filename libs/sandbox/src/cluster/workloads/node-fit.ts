import { meets } from '../label-selector.js';
import type { LabelRequirement } from '../kinds/fields.js';
import type { Node, NodeTaint } from '../kinds/core.js';
import type { PodSpec, Toleration } from '../kinds/pod-spec.js';
import { hasCondition } from './conditions.js';

/** The Node's kubelet answers. */
export function isNodeReady(node: Node): boolean {
  return hasCondition(node.status?.conditions, 'Ready');
}

/** The first taint that keeps the pod off the node; `PreferNoSchedule` keeps nothing off. */
export function untoleratedTaint(spec: PodSpec, node: Node): NodeTaint | undefined {
  const hard = (node.spec.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule');
  return hard.find((taint) => !(spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint)));
}

/** Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export function tolerates(toleration: Toleration, taint: NodeTaint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (!toleration.key) return toleration.operator === 'Exists';
  if (toleration.key !== taint.key) return false;
  return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
}

/** Node selector and required node affinity. */
export function selectsNode(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!isSelected || !required) return isSelected;
  return required.nodeSelectorTerms.some(({ matchExpressions = [], matchFields }) => {
    const byField = (matchFields ?? []) as unknown as readonly LabelRequirement[];
    const fields = { 'metadata.name': node.metadata.name };
    return (
      matchExpressions.every((expression) => meets(expression, labels)) &&
      byField.every((field) => meets(field, fields))
    );
  });
}
