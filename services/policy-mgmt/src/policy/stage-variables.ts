import type { PolicyStage } from '@crate/api';

/** What every rule may use: the document, whom it is for, and the item at hand with its place in the list. */
const COMMON = ['document', 'subject', 'item', 'index'];

/** Besides, a plan has its resources as they will be, and what its security groups let in. */
const FURTHER: Readonly<Record<PolicyStage, readonly string[]>> = {
  ClusterSpec: [],
  TerraformPlan: ['resources', 'ingress'],
  EngineConfig: [],
  Manifest: [],
};

/** Names that expressions of a stage may use. */
export function variablesOf(stage: PolicyStage): readonly string[] {
  return [...COMMON, ...FURTHER[stage]];
}
