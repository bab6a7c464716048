import type { ConformanceBench } from '../bench.js';
import type { Document } from '../documents.js';
import { Kubectl, type KubectlProgram } from '../kubectl.js';
import type { Client, Row } from '../row.js';
import { applyingRows } from './kubectl-applying.js';
import { askingRows } from './kubectl-asking.js';
import { deletingRows } from './kubectl-deleting.js';
import { readingRows } from './kubectl-reading.js';
import { writingRows } from './kubectl-writing.js';

/** What rows work with. */
export interface KubectlScope {
  readonly bench: ConformanceBench;
  readonly kubectl: () => Kubectl;
  /** The Project of this kubectl alone, its default namespace. */
  readonly project: string;
  /** Creates or changes objects by other means than the one that is tried. */
  readonly apply: (...documents: readonly Document[]) => Promise<void>;
}

export type KubectlRows = (scope: KubectlScope) => readonly Row[];

/** All that is tried with one kubectl. */
export function kubectlClient(bench: ConformanceBench, { version, path, absent }: KubectlProgram): Client {
  const project = `kubectl-${version.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}`;
  let kubectl: Kubectl | undefined;
  const scope: KubectlScope = {
    bench,
    project,
    kubectl: () => {
      if (!kubectl) throw new Error('There is no kubectl yet');
      return kubectl;
    },
    apply: async (...documents) => {
      for (const document of documents) await bench.admin.apply(document, project);
    },
  };
  return {
    family: 'kubectl',
    version,
    rows: [readingRows, writingRows, applyingRows, deletingRows, askingRows].flatMap((rows) => rows(scope)),
    prepare: async () => {
      await bench.project(project);
      kubectl = await Kubectl.as(path ?? '', bench.kubeconfig, project);
    },
    ...(absent === undefined ? {} : { absent }),
  };
}
