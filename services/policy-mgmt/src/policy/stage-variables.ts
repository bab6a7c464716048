import { CLUSTER, type PolicyStage } from '@crate/api';
import { memberTypesOf, type TypedVariable } from '@crate/cel';
import { kindInfoOf } from '@crate/resource-server';

/** What every rule may use: the document, whom it is for, and the item at hand with its place in the list. */
const COMMON = ['document', 'subject', 'item', 'index'];

/** Besides, a plan has its resources as they will be, and what its security groups let in. */
const FURTHER: Readonly<Record<PolicyStage, readonly string[]>> = {
  ClusterSpec: [],
  TerraformPlan: ['resources', 'ingress'],
  EngineConfig: [],
  Manifest: [],
};

/** The members of a document, for the stages whose documents have a schema of ours. */
const DOCUMENTS: Readonly<Partial<Record<PolicyStage, TypedVariable>>> = {
  ClusterSpec: {
    name: 'document',
    // What the server adds to metadata is not there yet when a cluster is judged.
    members: { ...memberTypesOf(kindInfoOf(CLUSTER).schema), apiVersion: 'string', kind: 'string', metadata: 'dyn' },
  },
};

/** Names that expressions of a stage may use. */
export function variablesOf(stage: PolicyStage): readonly string[] {
  return [...COMMON, ...FURTHER[stage]];
}

/** The same with the types that are known, so that a mistyped member is found when a rule is written. */
export function typedVariablesOf(stage: PolicyStage): readonly (string | TypedVariable)[] {
  const document = DOCUMENTS[stage];
  return variablesOf(stage).map((name) => (document?.name === name ? document : name));
}
