import {
  CLUSTER,
  type Cluster,
  type ClusterClass,
  type ClusterClassRevision,
  isJsonObject,
  type JsonObject,
} from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import type { FieldError } from '@crate/resource-server';
import { CompiledClass } from './class-content.js';
import type { ClassRevisions, RevisionLookup } from './class-revisions.js';
import { checkParameters } from './class-parameters.js';
import { below } from './cluster-class.errors.js';
import { fillIn, specOf, type FillInInput, type Given } from './fill-in.js';
import { SpecTree } from './spec-tree.js';
import { StatedFields } from './stated-fields.js';

/** What a class made of a spec, or why it could not; paths begin at the cluster. */
export interface Resolution {
  readonly spec: JsonObject;
  readonly tree: SpecTree;
  readonly given: SpecTree;
  readonly errors: readonly FieldError[];
}

const COMPILED_KEPT = 200;

/** Makes whole specs of short ones. */
export class ClassResolver {
  /** By uid: a revision never changes. */
  private readonly compiled = new Map<string, CompiledClass>();

  constructor(
    readonly classes: TypedClient<ClusterClass>,
    readonly revisions: ClassRevisions,
  ) {}

  /** The content of a revision, ready to use. */
  compiledOf({ metadata, spec }: ClusterClassRevision): CompiledClass {
    const key = `${metadata.uid}/${spec.revision}/${metadata.generation}`;
    const known = this.compiled.get(key) ?? CompiledClass.of(spec).compiled;
    this.compiled.delete(key);
    this.compiled.set(key, known);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > COMPILED_KEPT && oldest !== undefined) this.compiled.delete(oldest);
    return known;
  }

  /**
   * The object's spec filled in by the class at `revision`. `old` is the stored cluster, when there is one. The object may
   * have any shape: what is wrong with it beyond its class is for others to say.
   */
  async resolve(object: Cluster, old: Cluster | undefined, target: ClusterClassRevision): Promise<Resolution> {
    const before = old && (await this.givenTo(old));
    return this.resolveWith(object, old && { cluster: old, given: before }, {
      compiled: this.compiledOf(target),
      revision: target.spec.revision,
    });
  }

  /** As `resolve`, with what is known already. */
  resolveWith(
    object: Cluster,
    old: { readonly cluster: Cluster; readonly given: SpecTree | undefined } | undefined,
    target: { readonly compiled: CompiledClass; readonly revision: number },
  ): Resolution {
    const spec: JsonObject = isJsonObject(object.spec) ? object.spec : {};
    const { given, errors } = give(target.compiled, spec['parameters']);
    const input: FillInInput = {
      spec,
      stated: StatedFields.of(object),
      after: given,
      ...(old ? { live: SpecTree.of(old.cluster.spec) } : {}),
      ...(old?.given ? { before: old.given } : {}),
    };
    const { tree, errors: locked } = fillIn(input);
    const all = [...errors, ...below(['spec'], locked)];
    return { spec: specOf(tree, spec, target.revision), tree, given: given.tree, errors: all };
  }

  /** What its class gave a stored cluster; undefined when it has none, or that cannot be found any more. */
  async givenTo({ spec }: Cluster, lookup?: RevisionLookup): Promise<SpecTree | undefined> {
    const { classRef, parameters } = spec;
    if (classRef?.revision === undefined) return undefined;
    const find: RevisionLookup = lookup ?? ((name, revision) => this.revisions.find(name, revision));
    const revision = await find(classRef.name, classRef.revision);
    return revision && give(this.compiledOf(revision), parameters).given.tree;
  }
}

interface Gift {
  readonly given: Given;
  readonly errors: readonly FieldError[];
}

/** Clusters of a class mostly state the same few parameters. */
const GIFTS_KEPT = 100;
const LONGEST_KEPT = 4_000;
const gifts = new WeakMap<CompiledClass, Map<string, Gift>>();

function give(compiled: CompiledClass, parameters: unknown): Gift {
  const known = gifts.get(compiled) ?? new Map<string, Gift>();
  gifts.set(compiled, known);
  const key = JSON.stringify(parameters ?? {});
  const found = known.get(key);
  if (found) return found;
  const gift = render(compiled, parameters);
  if (known.size >= GIFTS_KEPT) known.clear();
  if (gift.errors.length === 0 && key.length <= LONGEST_KEPT) known.set(key, gift);
  return gift;
}

function render(compiled: CompiledClass, parameters: unknown): Gift {
  const { params, errors } = checkParameters(compiled.schema, parameters, ['spec', 'parameters']);
  if (errors.length > 0) return { given: { compiled, tree: SpecTree.EMPTY }, errors };
  const rendered = compiled.render(params);
  // A template that fails for parameters that fit the schema is the fault of the class, but only these parameters show it.
  const failures = rendered.errors.map(({ detail }): FieldError => ({
    path: ['spec', 'parameters'],
    reason: 'FieldValueForbidden',
    detail: `the template of the class cannot take them: ${detail}`,
  }));
  return { given: { compiled, tree: SpecTree.of(rendered.spec) }, errors: failures };
}

/** The constraints of its class that a whole cluster breaks. */
export function brokenConstraints(
  compiled: CompiledClass,
  { metadata, spec }: Cluster,
): ReturnType<CompiledClass['broken']> {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const self = { metadata: { name, namespace, labels, annotations }, spec };
  return compiled.broken(self, checkParameters(compiled.schema, spec.parameters, ['spec', 'parameters']).params);
}

/** The spec as it would be stored, with defaults; undefined when it would be refused. */
export function wholeSpec(spec: JsonObject): Cluster['spec'] | undefined {
  const parsed = CLUSTER.body.safeParse({ spec });
  return parsed.success ? (parsed.data as { spec: Cluster['spec'] }).spec : undefined;
}
