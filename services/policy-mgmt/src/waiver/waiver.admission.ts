import { POLICY_WAIVER, type KubeObject, type Policy, type PolicyWaiver, type PolicyWaiverSpec } from '@crate/api';
import { durationText } from '@crate/config';
import { nameSome } from '@crate/reconcile';
import type { CallContext, TypedClient } from '@crate/resource-client';
import {
  invalidObject,
  jsonEqual,
  type AdmissionHook,
  type AdmissionResult,
  type FieldError,
} from '@crate/resource-server';
import { coverageOf, type PatternCoverage } from './waiver.coverage.js';
import { APPROVALS_ANNOTATION, REQUESTED_BY_ANNOTATION, REVOKED_ANNOTATION } from './waiver.facts.js';

const SERVICE = 'policy-mgmt';
const DECISIONS: readonly string[] = [APPROVALS_ANNOTATION, REVOKED_ANNOTATION];

export interface WaiverAdmissionOptions {
  readonly policies: Pick<TypedClient<Policy>, 'list'>;
  /** How far away the end may be when a waiver is made. */
  readonly longestMs: number;
  readonly now: () => Date;
}

/**
 * A waiver asks for one thing: its spec stays as it is, but for an earlier end. Who asked for it, who approved and who took it back
 * is kept by the server. Refuses one that names a rule which nobody may waive, or no rule at all.
 */
export function waiverAdmission(options: WaiverAdmissionOptions): AdmissionHook {
  return async ({ operation, object, oldObject, context }): Promise<AdmissionResult | undefined> => {
    if (operation === 'DELETE') return undefined;
    const waiver = object as PolicyWaiver;
    const before = oldObject as PolicyWaiver | undefined;
    const { errors, warnings } = before
      ? { errors: changeErrors(waiver.spec, before.spec, options), warnings: [] }
      : await judgeNew(waiver.spec, options);
    if (errors.length > 0) throw invalidObject(POLICY_WAIVER, object.metadata.name, errors);
    return { object: withKeptFacts(object, oldObject, context), warnings };
  };
}

interface Judgement {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

async function judgeNew(spec: PolicyWaiverSpec, options: WaiverAdmissionOptions): Promise<Judgement> {
  const coverage = coverageOf(spec, await options.policies.list());
  const errors = [...endErrors(spec, options), ...ruleErrors(spec, coverage)];
  return { errors, warnings: coverage.flatMap((each, index) => warningsOf(each, index)) };
}

function endErrors({ expiresAt }: PolicyWaiverSpec, { longestMs, now }: WaiverAdmissionOptions): readonly FieldError[] {
  const leftMs = Date.parse(expiresAt) - now().getTime();
  if (leftMs <= 0) return [endError(expiresAt, 'must be in the future')];
  return leftMs > longestMs ? [endError(expiresAt, `must be at most ${durationText(longestMs)} away`)] : [];
}

function endError(value: string, detail: string): FieldError {
  return { path: ['spec', 'expiresAt'], reason: 'FieldValueInvalid', value, detail };
}

function ruleErrors({ policies }: PolicyWaiverSpec, coverage: readonly PatternCoverage[]): readonly FieldError[] {
  const firm = coverage.flatMap(({ firm: names, waivable, isFamily }, index): readonly FieldError[] => {
    if (names.length === 0 || (isFamily && waivable.length > 0)) return [];
    const detail = `nobody may waive ${nameSome(names)} (waivableBy: Nobody); leave it out, and do as the rule says`;
    return [{ path: ['spec', 'policies', index], reason: 'FieldValueForbidden', detail }];
  });
  if (firm.length > 0 || coverage.some(({ waivable }) => waivable.length > 0)) return firm;
  const detail = 'there is no Policy of these names; kubectl get policies lists them';
  return [{ path: ['spec', 'policies'], reason: 'FieldValueInvalid', value: policies, detail }];
}

function warningsOf({ pattern, waivable, firm, isFamily }: PatternCoverage, index: number): readonly string[] {
  const field = `spec.policies[${index}]`;
  if (isFamily && waivable.length > 0 && firm.length > 0) {
    return [`${field}: ${pattern} does not cover ${nameSome(firm)}, which nobody may waive`];
  }
  return waivable.length + firm.length === 0 ? [`${field}: there is no Policy ${pattern} yet`] : [];
}

/** Only an earlier end: whoever approved would not have approved anything else. */
function changeErrors(
  spec: PolicyWaiverSpec,
  before: PolicyWaiverSpec,
  { now }: WaiverAdmissionOptions,
): readonly FieldError[] {
  const { expiresAt } = spec;
  if (!jsonEqual({ ...spec, expiresAt: before.expiresAt }, before)) {
    const detail = 'is immutable but for an earlier expiresAt; ask for another waiver, and delete this one';
    return [{ path: ['spec'], reason: 'FieldValueForbidden', detail }];
  }
  const end = Date.parse(expiresAt);
  if (end > Date.parse(before.expiresAt)) {
    return [endError(expiresAt, `must not be later than ${before.expiresAt}; ask for another waiver`)];
  }
  // What has passed meanwhile must not stop other changes.
  const isShortened = end < Date.parse(before.expiresAt);
  return isShortened && end <= now().getTime()
    ? [endError(expiresAt, 'must be in the future; to end it now, POST to its subresource revoke')]
    : [];
}

/** What writers say of these annotations counts for nothing, unless it is this service that writes. */
function withKeptFacts(object: KubeObject, oldObject: KubeObject | undefined, { caller }: CallContext): KubeObject {
  const before = oldObject?.metadata.annotations ?? {};
  const decided = caller.service === SERVICE && oldObject ? (object.metadata.annotations ?? {}) : before;
  const own = [REQUESTED_BY_ANNOTATION, ...DECISIONS];
  const stated = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => !own.includes(key));
  const kept = Object.entries(decided).filter(([key]) => DECISIONS.includes(key));
  const requestedBy = oldObject ? (before[REQUESTED_BY_ANNOTATION] ?? '') : caller.user;
  const annotations = Object.fromEntries([...stated, ...kept, [REQUESTED_BY_ANNOTATION, requestedBy]]);
  return { ...object, metadata: { ...object.metadata, annotations } };
}
