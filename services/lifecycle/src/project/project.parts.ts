import { CLUSTER, PROJECT } from '@crate/api';
import type { AdmissionHook, ServedKind } from '@crate/resource-server';
import type { Foundation, RegisteredReconciler } from '@crate/service-host';
import type { ProjectMembers } from '../access/project-members.js';
import { protectionAdmission } from '../cluster/cluster.protection.admission.js';
import { allowedAdmission } from './project-allowed.admission.js';
import { defaultsPrepare } from './project-defaults.prepare.js';
import { ProjectOfWrite } from './project-of-write.js';
import { projectEditAdmission } from './project-edit.admission.js';
import { quotaAdmission } from './project-quota.admission.js';
import { projectAdmission, type ProjectContents } from './project.admission.js';
import { ProjectReconciler, resizedProjectKeysOf } from './project.reconciler.js';

/** Everything that Projects are made of. */
export interface ProjectParts {
  readonly kind: ServedKind;
  readonly reconciler: RegisteredReconciler;
  /** What a Project asks of its clusters. */
  readonly clusters: {
    /** Everything that is filled in, with what a class does. */
    readonly prepare: (ofClass: AdmissionHook) => readonly AdmissionHook[];
    /** Cheap, so before the other hooks. */
    readonly before: readonly AdmissionHook[];
    /** Of the cluster as it will be stored, and as close to that as can be. */
    readonly after: readonly AdmissionHook[];
  };
}

/** How late a Project may show what its clusters take up: a pass reads all of them. */
const USAGE_MS = 2_000;

/** Wires Projects into the service. */
export function projectParts(
  { clients, store }: Pick<Foundation, 'clients' | 'store'>,
  contents: ProjectContents,
  members: ProjectMembers,
): ProjectParts {
  const projects = clients.for(PROJECT);
  const ofWrite = new ProjectOfWrite(projects);
  const reconciler = new ProjectReconciler(projects, store);
  return {
    kind: {
      definition: PROJECT,
      nameFormat: 'dnsLabel',
      admit: [projectEditAdmission, projectAdmission(contents)],
      // Channels and keys that stayed would be the next Project's of the name.
      leavesNoOrphans: true,
    },
    reconciler: {
      reconciler,
      kind: PROJECT,
      watches: [{ kind: CLUSTER, keysOf: resizedProjectKeysOf(), gatherMs: USAGE_MS }],
    },
    clusters: {
      prepare: (ofClass) => defaultsPrepare(ofWrite, ofClass),
      before: [protectionAdmission({ members }), allowedAdmission(ofWrite)],
      after: [quotaAdmission(ofWrite, store)],
    },
  };
}
