import { isDeepStrictEqual } from 'node:util';
import {
  withoutUndefined,
  type PolicyEnforcement,
  type PolicyLevel,
  type PolicySeverity,
  type PolicySpec,
} from '@crate/api';
import { parsePolicySpec } from '../pack/policy-pack.js';
import { mistakesOf } from '../rule/compiled-policy.js';
import {
  admissionDocumentsIn,
  type AdmissionBinding,
  type AdmissionDocuments,
  type AdmissionPolicy,
} from './admission-policy.js';
import { paramsFor } from './import-params.js';
import { matchesOf, namespaceConditions, type ImportedMatch, type StatedKinds } from './import-match.js';
import { Unsupported } from './unsupported.js';

/** What admission policies do not say, and what is to be left out of them. */
export interface ImportOptions {
  readonly level?: PolicyLevel;
  readonly severity?: PolicySeverity;
  readonly enforcement?: PolicyEnforcement;
  readonly remedy?: string;
  readonly kinds?: StatedKinds;
  /** Features such as `namespaceSelector`. */
  readonly ignore?: readonly string[];
}

/** A rule as a person would write it: without what has a default. */
export interface ImportedPolicy {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface ImportedPolicies {
  readonly policies: readonly ImportedPolicy[];
  /** What differs from the original, one line each. */
  readonly notes: readonly string[];
}

/** Annotations with this prefix say what admission policies have no field for: title, level, severity, remedy. */
const ANNOTATION = 'policy.crate.dev/';
const REMEDY = 'Change the object so that it satisfies the rule';
const LONGEST_TITLE = 120;

/**
 * Makes rules of the ValidatingAdmissionPolicies among documents, one for each binding and set of operations. Throws InvalidSpec
 * that names every field which has no counterpart, and every expression that does not compile, with its place.
 */
export function importPolicies(documents: readonly unknown[], options: ImportOptions = {}): ImportedPolicies {
  const found = admissionDocumentsIn(documents);
  const notes: string[] = [];
  const policies = found.policies.flatMap((policy) => {
    const bindings = found.bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    return (bindings.length === 0 ? [undefined] : bindings).flatMap((binding) => {
      const name = bindings.length > 1 && binding ? binding.metadata.name : policy.metadata.name;
      return new Importer({ policy, binding, found, options, name, notes }).imported();
    });
  });
  return { policies, notes };
}

interface Given {
  readonly policy: AdmissionPolicy;
  readonly binding: AdmissionBinding | undefined;
  readonly found: AdmissionDocuments;
  readonly options: ImportOptions;
  readonly name: string;
  readonly notes: string[];
}

/** Converts one policy as one binding applies it. */
class Importer {
  private readonly unsupported: Unsupported;

  constructor(private readonly given: Given) {
    this.unsupported = new Unsupported(given.policy.metadata.name, given.options.ignore ?? []);
  }

  imported(): readonly ImportedPolicy[] {
    const { policy, name, options } = this.given;
    const rules = policy.spec.matchConstraints.resourceRules;
    const matches = matchesOf(rules, options.kinds ?? {}, this.unsupported);
    const shared = this.sharedSpec();
    this.unsupported.throwIfAny();
    if (matches.length === 0) this.refuse('spec.matchConstraints.resourceRules', 'Nothing is left of what it matches');
    const { title, description, level, severity, ...others } = shared;
    const policies = matches.map((match) => ({
      name: matches.length === 1 ? name : `${name}-${match.operations.join('-').toLowerCase()}`,
      spec: withoutUndefined({
        ...{ title, description, level, severity },
        match: { ...this.matchOf(match), ...this.labels() },
        ...others,
      }),
    }));
    for (const { name: own, spec } of policies) this.check(own, spec);
    return policies;
  }

  private sharedSpec(): Readonly<Record<string, unknown>> {
    const { policy, binding, found, options } = this.given;
    const { metadata, spec } = policy;
    return withoutEmpty({
      title: (this.annotation('title') ?? this.defaultTitle()).slice(0, LONGEST_TITLE),
      description: this.annotation('description') ?? metadata.annotations?.['kubernetes.io/description'],
      level: options.level ?? this.annotation('level') ?? this.defaultLevel(),
      severity: options.severity ?? this.annotation('severity'),
      matchConditions: this.conditions(),
      params: paramsFor(policy, binding, found.others, this.unsupported),
      variables: spec.variables.map(({ name, expression }) => ({ name, expression })),
      validations: this.validations(),
      auditAnnotations: spec.auditAnnotations.map(({ key, valueExpression }) => ({ key, valueExpression })),
      remedy: options.remedy ?? this.annotation('remedy') ?? REMEDY,
      references: [`ValidatingAdmissionPolicy ${metadata.name}`],
      enforcement: options.enforcement ?? this.enforcement(),
    });
  }

  private annotation(key: string): string | undefined {
    return this.given.policy.metadata.annotations?.[`${ANNOTATION}${key}`];
  }

  /** Those of the policy, and what selectors of namespaces and rules of the binding come to. */
  private conditions(): readonly object[] {
    const { policy, binding } = this.given;
    const { matchConstraints, matchConditions } = policy.spec;
    const bound = binding?.spec.matchResources;
    if (matchConstraints.excludeResourceRules.length > 0)
      this.unsupported.note('excludeResourceRules', 'spec.matchConstraints.excludeResourceRules');
    const further = [...(bound?.resourceRules ?? []), ...(bound?.excludeResourceRules ?? [])];
    if (further.length > 0 && !isDeepStrictEqual(further, matchConstraints.resourceRules))
      this.unsupported.note('matchResources', 'spec.matchResources.resourceRules of its binding');
    const selectors = [
      [matchConstraints.namespaceSelector, 'spec.matchConstraints.namespaceSelector'],
      [bound?.namespaceSelector, 'spec.matchResources.namespaceSelector of its binding'],
    ] as const;
    const selected = selectors.flatMap(([selector, path]) => namespaceConditions(selector, path, this.unsupported));
    return [
      ...selected.map((expression, index) => ({
        name: index === 0 ? 'namespace' : `namespace-${index + 1}`,
        expression,
      })),
      ...matchConditions.map(({ name, expression }) => ({ name, expression })),
    ];
  }

  /** A policy that only annotates has nothing that must hold. */
  private validations(): readonly object[] {
    const { validations } = this.given.policy.spec;
    if (validations.length === 0) return [{ expression: 'true' }];
    return validations.map(({ expression, message, messageExpression }) =>
      withoutEmpty({ expression, message, messageExpression }),
    );
  }

  private defaultTitle(): string {
    const { metadata, spec } = this.given.policy;
    const [first, ...more] = spec.validations;
    return more.length === 0 && first?.message !== undefined ? first.message : metadata.name;
  }

  /** Here a rule that cannot be evaluated counts as violated, so one that is to be ignored then must not deny. */
  private defaultLevel(): PolicyLevel {
    if (this.given.policy.spec.failurePolicy === 'Fail') return 'must';
    this.note(
      'failurePolicy is Ignore: it becomes a "should", which never denies; --level must lets it deny, also when it cannot be evaluated',
    );
    return 'should';
  }

  private enforcement(): PolicyEnforcement | undefined {
    const { binding } = this.given;
    if (!binding) {
      this.note('no binding: it becomes a "dry-run", as it does not act; --enforcement enforce lets it act');
      return 'dry-run';
    }
    const { validationActions } = binding.spec;
    if (validationActions.includes('Deny')) return undefined;
    return validationActions.includes('Warn') ? 'warn' : 'dry-run';
  }

  private matchOf({ kinds, operations }: ImportedMatch): Readonly<Record<string, unknown>> {
    return withoutEmpty({ stages: ['Manifest'], kinds, operations });
  }

  private labels(): { readonly labels?: object } {
    const { policy, binding } = this.given;
    const selectors = [policy.spec.matchConstraints.objectSelector, binding?.spec.matchResources?.objectSelector];
    const stated = selectors.filter((selector) => selector && Object.keys(selector).length > 0);
    if (stated.length < 2) return stated[0] ? { labels: stated[0] } : {};
    // Both have to hold, also where they ask for the same label.
    const [first, second] = stated;
    const more = Object.entries(second?.matchLabels ?? {}).map(([key, value]) => ({
      key,
      operator: 'In',
      values: [value],
    }));
    const matchExpressions = [...(first?.matchExpressions ?? []), ...more, ...(second?.matchExpressions ?? [])];
    return { labels: withoutEmpty({ matchLabels: first?.matchLabels, matchExpressions }) };
  }

  /** As the API would. */
  private check(name: string, spec: unknown): void {
    const parsed: PolicySpec = parsePolicySpec(spec, `Policy "${name}"`);
    for (const { field = 'spec', message } of mistakesOf(parsed)) this.unsupported.refuse(field, message);
    this.unsupported.throwIfAny();
  }

  private refuse(field: string, message: string): void {
    this.unsupported.refuse(field, message);
    this.unsupported.throwIfAny();
  }

  private note(text: string): void {
    this.given.notes.push(`${this.given.policy.metadata.name}: ${text}`);
  }
}

function withoutEmpty(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}
