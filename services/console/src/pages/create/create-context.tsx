import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import type { Cause } from '../../api/api-error.js';
import { fieldOf, isWithin, valueAt, type DocumentPath } from '../../components/form/document-path.js';
import { FieldsProvider, type FieldState } from '../../components/form/fields-context.js';
import type { Draft } from './draft.js';
import { stepOf, type StepName } from './steps.js';
import type { DraftState } from './use-draft.js';
import type { LiveJudgement } from './use-judgement.js';

/** What all steps share. */
export interface CreateState extends DraftState {
  readonly live: LiveJudgement;
  /** Steps that somebody was at: what they left out is wrong by now, and not just not yet filled in. */
  readonly seen: ReadonlySet<StepName>;
}

const CreateContext = createContext<CreateState | null>(null);

interface CreateProviderProps {
  readonly value: CreateState;
  readonly children: ReactNode;
}

/** Gives a page's steps and fields what is being made. */
export function CreateProvider({ value, children }: CreateProviderProps): ReactElement {
  return (
    <CreateContext value={value}>
      <FieldsProvider value={(path) => fieldState(value, path)}>{children}</FieldsProvider>
    </CreateContext>
  );
}

/** Throws outside of the page that makes clusters. */
export function useCreate(): CreateState {
  const state = useContext(CreateContext);
  if (!state) throw new Error('No cluster is being made here');
  return state;
}

function fieldState({ draft, set, live, seen }: CreateState, path: DocumentPath): FieldState {
  const { judgement } = live;
  const value = valueAt(draft, path);
  const field = fieldOf(path);
  const isDue = seen.has(stepOf(field)) || value !== undefined;
  const causes = judgement?.isAllowed === false && isDue ? judgement.causes : [];
  return {
    value,
    filled: judgement?.isAllowed ? filledAt(judgement.cluster, draft, path) : undefined,
    errors: causes.filter((cause) => isWithin(cause.field ?? '', field)).map(({ message }) => message),
    set: (next) => set(path, next),
  };
}

/** Items of lists stand elsewhere once a class has added its own: they are found by their names. */
function filledAt(cluster: unknown, draft: Draft, path: DocumentPath): unknown {
  const at = path.findIndex((key) => typeof key === 'number');
  if (at < 0) return valueAt(cluster, path);
  const name = valueAt(draft, [...path.slice(0, at + 1), 'name']);
  const items = valueAt(cluster, path.slice(0, at)) as readonly { readonly name?: unknown }[] | undefined;
  return valueAt(
    items?.find((item) => item.name === name),
    path.slice(at + 1),
  );
}

/** Causes that belong to a step. */
export function causesOfStep({ live }: CreateState, step: StepName): readonly Cause[] {
  const { judgement } = live;
  return judgement?.isAllowed === false ? judgement.causes.filter(({ field }) => stepOf(field) === step) : [];
}
