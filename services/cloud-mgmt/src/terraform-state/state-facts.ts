import { invariant } from '@crate/errors';
import type { SecretFacts } from '@crate/secrets';
import { parseState } from '@crate/terraform';

/** Kind under which states lie in the secret store. */
export const STATE_KIND = 'terraform-state';

/** Edits that go by a clock, however wrong, are below it, and there is room for all that follow. */
const NO_EDIT = 2 ** 52;

/** Who put a state in place by hand, and why. */
export interface StateEdit {
  readonly by: string;
  readonly reason: string;
  /** Serial of the version that was restored; absent: the state was pushed. */
  readonly restored?: number;
}

export interface StateOrigin {
  /** Facts of the version before. */
  readonly before?: SecretFacts | undefined;
  /** Id of the run that wrote it; absent: it was found in a workspace, or put in place by a person. */
  readonly run?: string;
}

/** What a version of a state is bound to. Throws Invariant for what is no state. */
export function stateFacts(bytes: Uint8Array, { before, run }: StateOrigin = {}): SecretFacts {
  const state = parseState(bytes);
  if (!state) throw invariant('What was to be stored as a Terraform state is none');
  const edit = editOf(before);
  return {
    lineage: state.lineage,
    serial: state.serial,
    resources: state.resources.length,
    ...(run === undefined ? {} : { run }),
    // Remembered from version to version: workspaces that do not know of it are out of date.
    ...(edit === undefined ? {} : { edit }),
  };
}

/** As `stateFacts`, of a state that a person put in place, which is numbered by `edit`. */
export function editedStateFacts(bytes: Uint8Array, edit: number, { by, reason, restored }: StateEdit): SecretFacts {
  return { ...stateFacts(bytes), edit, by, reason, ...(restored === undefined ? {} : { restored }) };
}

/** Numbers the last version that a person put in place. */
export function editOf(facts: SecretFacts | undefined): number | undefined {
  const edit = facts?.['edit'];
  return typeof edit === 'number' ? edit : undefined;
}

/**
 * Greater than that of every edit before, also of those that a database which was set back has lost: it goes by the time of the database, and
 * counts on where a clock was ahead, by years too: workspaces would take a smaller one for older than their copies.
 * Who edits may do so because the row before is damaged: a number that no edit can have is none.
 */
export function nextEdit(before: SecretFacts | undefined, now: Date): number {
  const last = editOf(before) ?? 0;
  const isEdit = Number.isSafeInteger(last) && last < NO_EDIT;
  return Math.max(now.getTime(), isEdit ? last + 1 : 0);
}
