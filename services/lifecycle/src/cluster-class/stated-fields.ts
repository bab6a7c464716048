import { type KubeObject, isJsonObject } from '@crate/api';
import { SpecTree } from './spec-tree.js';
import type { SpecPath, SpecStep } from './spec-path.js';

/** Where `kubectl apply` remembers what was stated. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What people (and programs) stated themselves, apart from what was filled in for them. */
export class StatedFields {
  private constructor(
    private readonly owned: readonly unknown[],
    private readonly applied: SpecTree,
    private readonly appliedSpec: unknown,
  ) {}

  /** Whatever a manager owns, and whatever client-side apply remembers: that states it again with every apply. */
  static of({ metadata }: KubeObject): StatedFields {
    const owned = (metadata.managedFields ?? []).map(({ fieldsV1 }) => member(fieldsV1, 'f:spec'));
    const spec = member(parse(metadata.annotations?.[LAST_APPLIED]), 'spec');
    return new StatedFields(owned, SpecTree.of(spec), spec);
  }

  has(path: SpecPath): boolean {
    return this.owned.some((fields) => owns(fields, path)) || this.applied.has(path);
  }

  /** True when the spec states which class it wants. */
  get hasClass(): boolean {
    return this.statesOfClass('name');
  }

  /** True when the spec states which revision of the class it wants. */
  get hasRevision(): boolean {
    return this.statesOfClass('revision');
  }

  private statesOfClass(name: string): boolean {
    const path = ['classRef', name];
    return (
      this.owned.some((fields) => owns(fields, path)) ||
      member(member(this.appliedSpec, 'classRef'), name) !== undefined
    );
  }
}

function owns(fields: unknown, path: SpecPath): boolean {
  return path.reduce<unknown>((below, step) => member(below, elementOf(step)), fields) !== undefined;
}

/** Source: https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/fieldpath/serialize-pe.go */
function elementOf(step: SpecStep): string {
  return typeof step === 'string' ? `f:${step}` : `k:${JSON.stringify({ name: step.item })}`;
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
