import type { PolicySpec, PolicyStage } from '@crate/api';

/** What a rule may look at. */
export interface RuleReads {
  /** Such as `object.spec`, `object.metadata.labels`, `oldObject` or `request.operation`; a variable alone stands for all of it. */
  readonly paths: readonly string[];
  /** Who asks. */
  readonly user: boolean;
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
  const paths = [
    ...(isNamedOtherwise || isItemWhole(spec) ? ['object'] : pathsIn(text, 'object')),
    ...(/\boldObject\b/.test(text) ? ['oldObject'] : []),
    ...pathsIn(text, 'request'),
  ];
  const reads = { paths, user: /\buserInfo\b/.test(text) };
  known.set(spec, reads);
  return reads;
}

/** Where a validation goes over no list, its only item is the document. */
function isItemWhole({ validations }: PolicySpec): boolean {
  return validations.some((validation) => {
    return validation.forEach === undefined && /\bitem\b/.test(textsIn(validation).join('\n'));
  });
}

/** What is looked at of a variable, sorted. */
function pathsIn(text: string, variable: string): readonly string[] {
  const paths = new Set<string>();
  for (const { 0: name, index } of text.matchAll(new RegExp(`\\b${variable}\\b`, 'g'))) {
    const behind = index + name.length;
    const member = memberAt(text, behind);
    if (!member) return [variable];
    const within = member.name === DIVIDED ? memberAt(text, member.endsAt) : undefined;
    paths.add([variable, member.name, ...(within ? [within.name] : [])].join('.'));
  }
  return [...paths].sort();
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
