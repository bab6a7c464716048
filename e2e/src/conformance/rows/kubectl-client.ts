import { VIEWER, type ConformanceBench } from '../bench.js';
import type { Document } from '../documents.js';
import { Kubectl, type KubectlProgram } from '../kubectl.js';
import type { Client, Row } from '../row.js';
import { applyingRows } from './kubectl-applying.js';
import { askingRows } from './kubectl-asking.js';
import { deletingRows } from './kubectl-deleting.js';
import { followingRows } from './kubectl-following.js';
import { memberRows } from './kubectl-members.js';
import { readingRows } from './kubectl-reading.js';
import { templateRows } from './kubectl-templates.js';
import { writingRows } from './kubectl-writing.js';

/** What rows work with. */
export interface KubectlScope {
  readonly bench: ConformanceBench;
  /** Of the program, such as `1.33`. */
  readonly version: string;
  readonly kubectl: () => Kubectl;
  /** The same program for a person who may only look. */
  readonly viewer: () => Kubectl;
  /** The Project of this kubectl alone, its default namespace. */
  readonly project: string;
  /** Creates or changes objects by other means than the one that is tried. */
  readonly apply: (...documents: readonly Document[]) => Promise<void>;
}

export type KubectlRows = (scope: KubectlScope) => readonly Row[];

const GROUPS: readonly KubectlRows[] = [
  readingRows,
  writingRows,
  applyingRows,
  deletingRows,
  askingRows,
  followingRows,
  templateRows,
  memberRows,
];

/** All that is tried with one kubectl. */
export function kubectlClient(bench: ConformanceBench, { version, path, absent }: KubectlProgram): Client {
  const project = `kubectl-${version.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`;
  let people: { readonly kubectl: Kubectl; readonly viewer: Kubectl } | undefined;
  const ready = (): NonNullable<typeof people> => {
    if (!people) throw new Error('There is no kubectl yet');
    return people;
  };
  const scope: KubectlScope = {
    bench,
    version,
    project,
    kubectl: () => ready().kubectl,
    viewer: () => ready().viewer,
    apply: async (...documents) => {
      for (const document of documents) await bench.admin.apply(document, project);
    },
  };
  return {
    family: 'kubectl',
    version,
    rows: GROUPS.flatMap((rows) => rows(scope)),
    prepare: async () => {
      await bench.wholeCluster();
      await bench.project(project, [{ kind: 'User', name: VIEWER, role: 'viewer' }]);
      const as = (kubeconfig: string) => Kubectl.as(path ?? '', kubeconfig, project);
      people = { kubectl: await as(bench.kubeconfig), viewer: await as(await bench.viewerKubeconfig()) };
    },
    ...(absent === undefined ? {} : { absent }),
  };
}
