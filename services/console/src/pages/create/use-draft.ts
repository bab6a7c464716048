import { SUPPORTED_KUBERNETES_VERSIONS } from '@crate/api';
import { useCallback, useState } from 'react';
import { withValue, type DocumentPath } from '../../components/form/document-path.js';
import { newDraft, parseDraft, type Draft } from './draft.js';

const KEY = 'crate-create';

/** A draft, and how to change it. */
export interface DraftState {
  readonly draft: Draft;
  readonly set: (path: DocumentPath, value: unknown) => void;
  readonly replace: (draft: Draft) => void;
  /** Forgets it, as after the cluster was made. */
  readonly forget: () => void;
}

/** Kubernetes versions that can be asked for, newest first. */
export const VERSIONS: readonly string[] = SUPPORTED_KUBERNETES_VERSIONS.rke;

/** What the page was opened with. */
export interface Beginning {
  readonly project?: string | undefined;
  readonly className?: string | undefined;
}

/** The draft of this tab: it outlives a reload, and holds nothing that is secret. */
export function useDraft(beginning: Beginning, secretsOf: (draft: Draft) => readonly DocumentPath[]): DraftState {
  const [draft, setDraft] = useState(() => kept(beginning) ?? newDraft({ ...beginning, version: usualVersion() }));
  const replace = useCallback(
    (next: Draft) => {
      setDraft(next);
      const open = secretsOf(next).reduce((document, path) => withValue(document, path, undefined), next);
      sessionStorage.setItem(KEY, JSON.stringify(open));
    },
    [secretsOf],
  );
  const set = useCallback(
    (path: DocumentPath, value: unknown) => {
      const next: Partial<Draft> = withValue(draft, path, value);
      replace({ ...draft, ...next, metadata: next.metadata ?? {}, spec: next.spec ?? {} });
    },
    [draft, replace],
  );
  const forget = useCallback(() => sessionStorage.removeItem(KEY), []);
  return { draft, set, replace, forget };
}

/** The newest but one: what others have run for a while. */
export function usualVersion(): string {
  return VERSIONS[1] ?? VERSIONS[0] ?? '';
}

/** What was left in this tab, unless the page was opened for something else. */
function kept({ project, className }: Beginning): Draft | undefined {
  const draft = parseDraft(sessionStorage.getItem(KEY) ?? '');
  if (project !== undefined && draft?.metadata.namespace !== project) return undefined;
  if (className !== undefined && draft?.spec.classRef?.name !== className) return undefined;
  return draft;
}
