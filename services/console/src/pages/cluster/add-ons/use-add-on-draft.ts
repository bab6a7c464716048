import type { AddOn } from '@crate/api';
import { useMemo, useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import { fieldOf, isWithin, valueAt, withValue, type DocumentPath } from '../../../components/form/document-path.js';
import type { FieldState } from '../../../components/form/fields-context.js';
import { useSettled } from '../../../components/form/use-settled.js';
import { useCluster } from '../cluster-context.js';
import { writeCluster, type ClusterChange } from '../dry-run.js';
import { useClusterKey } from '../use-cluster-key.js';
import { useDryRun } from '../use-dry-run.js';
import { requestChange, requestField } from './add-on-change.js';
import type { AddOnRequest, AddOnRow } from './add-on-rows.js';
import type { AddOnDeed } from './AddOnTable.js';

/** What a person fills in something for. */
export type DraftedDeed = Exclude<AddOnDeed, 'remove'>;

/** What the cluster is to state of an add-on, while somebody fills it in. */
export interface AddOnDraft {
  readonly request: AddOnRequest;
  /** The same as a change of the cluster, once typing pauses. */
  readonly settled: ClusterChange;
  /** One field of it, with what the server objects to. */
  readonly stateOf: (path: DocumentPath) => FieldState;
  /** Throws ApiError. */
  readonly write: () => Promise<unknown>;
}

/** The draft for an add-on of the cluster of the page; begins with what the cluster states of it. */
export function useAddOnDraft(row: AddOnRow, addOn: AddOn, deed: DraftedDeed): AddOnDraft {
  const key = useClusterKey();
  // As it was when the dialog opened: the change is refused when somebody else was quicker.
  const [{ spec }] = useState(useCluster());
  const [request, setRequest] = useState(() => beginning(row, addOn, deed));
  const typed = useSettled(request);
  const settled = useMemo(() => requestChange(spec, typed), [spec, typed]);
  const { error } = useDryRun(settled);
  const causes = error instanceof ApiError ? error.causes : [];
  const prefix = requestField(spec, row.name);
  const stateOf = (path: DocumentPath): FieldState => {
    const value = valueAt(request, path);
    // Nobody is told at once of what they did not come to yet: the preview says it.
    const own = value === undefined ? [] : causes;
    const errors = own.filter(({ field = '' }) => isWithin(field, `${prefix}.${fieldOf(path)}`));
    return {
      value,
      filled: undefined,
      errors: errors.map(({ message }) => message),
      set: (next) => setRequest(withValue(request, path, next)),
    };
  };
  return { request, settled, stateOf, write: () => writeCluster(key, requestChange(spec, request)) };
}

/** A cluster that stayed on a version goes on staying, on the newest; what was left out is not any more. */
function beginning({ name, request }: AddOnRow, { spec }: AddOn, deed: DraftedDeed): AddOnRequest {
  const stated = request === undefined || request.enabled === false ? { name } : request;
  return deed === 'upgrade' ? { ...stated, version: spec.version } : stated;
}
