import type { KubeObject } from '@crate/api';
import { findByPath } from './json-path.js';
import { text, textAt } from './reading.js';

const ROLE_LABEL = 'node-role.kubernetes.io/';

/** `Ready`, `NotReady` or `Unknown`, and whether pods may be placed. */
export function nodeStatus(node: KubeObject): string {
  const ready = textAt(node, '.status.conditions[?(@.type=="Ready")].status');
  const state = ready === '' ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady';
  return findByPath(node, '.spec.unschedulable')[0] === true ? `${state},SchedulingDisabled` : state;
}

/** The roles its labels name. */
export function nodeRoles(node: KubeObject): string {
  const labels = Object.keys(node.metadata.labels ?? {});
  const roles = labels.filter((label) => label.startsWith(ROLE_LABEL)).map((label) => label.slice(ROLE_LABEL.length));
  return text(roles.sort()) || '<none>';
}

/** The first address of a type. */
export function nodeAddress(type: string): (node: KubeObject) => string {
  return (node) => textAt(node, `.status.addresses[?(@.type=="${type}")].address`) || '<none>';
}
