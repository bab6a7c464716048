import type { KubeObject } from '@crate/api';
import { jsonEqual } from '../apply/json.js';
import { FieldSet } from '../apply/field-set.js';
import { type ManagerKey, Managers } from '../apply/managed-fields.js';
import { fieldElement } from '../apply/path-element.js';
import type { RegisteredKind } from '../kinds/kind-registry.js';
import { hasSecret } from '../validation/secret-fields.js';

export interface SecretsApplied {
  readonly kind: RegisteredKind;
  readonly applier: ManagerKey;
  /** What was applied, before hooks took secrets out of it. */
  readonly stated: KubeObject;
  readonly live: KubeObject | undefined;
  readonly final: KubeObject;
}

/**
 * The owners after an apply, where the field that shows which secrets are stored is the applier's if it states any; the others keep it
 * while it is what it was. Without an owner, a change of secrets alone would be none to Argo CD, which takes for a webhook's what its
 * dry run changes and it does not own.
 */
export function withSecretsShown(managers: Managers, { kind, applier, stated, live, final }: SecretsApplied): Managers {
  const field = kind.definition.secretsShownAs;
  if (field === undefined || !hasSecret(kind.info.schema, stated)) return managers;
  const shown = shownIn(final, field);
  const path = FieldSet.of([fieldElement('spec'), fieldElement(field)]);
  const kept = jsonEqual(shown, live && shownIn(live, field))
    ? managers.others(applier)
    : managers.others(applier).map((other) => ({ ...other, fields: other.fields.difference(path) }));
  const own = managers.find(applier) ?? { ...applier, fields: FieldSet.EMPTY };
  return Managers.of([...kept, shown === undefined ? own : { ...own, fields: own.fields.union(path) }]);
}

function shownIn({ spec }: KubeObject, field: string): unknown {
  return (spec as Record<string, unknown> | undefined)?.[field];
}
