import type { PolicySpec, PolicyStage } from '@crate/api';

/** What a rule may look at. */
export interface RuleReads {
  readonly oldObject: boolean;
  readonly request: boolean;
  /** Who asks. */
  readonly user: boolean;
  /** Parts of the document, such as `spec` or `metadata.labels`, sorted; undefined: any of it. */
  readonly parts: readonly string[] | undefined;
}

/** What shows parts of a document under other names, and at which stages it is there. */
const WHOLE = /\b(?:pods|containers|resources|ingress)\b/;
const WHOLE_STAGES: ReadonlySet<PolicyStage> = new Set(['Manifest', 'TerraformPlan']);

/** Who says so looks into metadata member by member: a name is of one object, and labels are of many. */
const DIVIDED = 'metadata';

const known = new WeakMap<PolicySpec, RuleReads>();

/** Told by the text of its expressions, where the name of a variable cannot be written otherwise: it may say too much, and never too little. */
export function readsOf(spec: PolicySpec): RuleReads {
  const before = known.get(spec);
  if (before) return before;
  // As it was written: in JSON, letters of an escape would run into the word behind them.
  const text = textsIn([spec.matchConditions, spec.variables, spec.validations, spec.auditAnnotations]).join('\n');
  const isNamedOtherwise = spec.match.stages.some((stage) => WHOLE_STAGES.has(stage)) && WHOLE.test(text);
  const parts = isNamedOtherwise || isItemWhole(spec) ? undefined : partsIn(text);
  const names = (name: RegExp): boolean => name.test(text);
  const reads = {
    oldObject: names(/\boldObject\b/),
    request: names(/\brequest\b/),
    user: names(/\buserInfo\b/),
    parts,
  };
  known.set(spec, reads);
  return reads;
}

/** Where a validation goes over no list, its only item is the document. */
function isItemWhole({ validations }: PolicySpec): boolean {
  return validations.some((validation) => {
    return validation.forEach === undefined && /\bitem\b/.test(textsIn(validation).join('\n'));
  });
}

function partsIn(text: string): readonly string[] | undefined {
  const parts = new Set<string>();
  for (const { 0: name, index } of text.matchAll(/\bobject\b/g)) {
    const behind = index + name.length;
    const member = memberAt(text, behind);
    if (!member) return undefined;
    const within = member.name === DIVIDED ? memberAt(text, member.endsAt) : undefined;
    parts.add(within ? `${DIVIDED}.${within.name}` : member.name);
  }
  return [...parts].sort();
}

/** The member that is taken of what ends at `from`; undefined where something else is done with it, such as a loop over all of its members. */
function memberAt(text: string, from: number): { readonly name: string; readonly endsAt: number } | undefined {
  const member = /\.\??([A-Za-z_]\w*)\b(?!\s*(?:\(|\/\/))/y;
  member.lastIndex = from;
  const found = member.exec(text);
  return found?.[1] === undefined ? undefined : { name: found[1], endsAt: member.lastIndex };
}

/** Every text in a value, in order. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
