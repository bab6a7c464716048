import type { AddOnContent, Manifest, JsonObject } from '@crate/api';
import { compileTemplate, memberTypesOf, type Template } from '@crate/cel';
import type { FieldError, FieldPath, JsonSchema } from '@crate/resource-server';
import { CLUSTER_VARIABLE, sampleFacts, type ClusterFacts } from './add-on.facts.js';
import { manifestErrors } from './add-on.manifests.js';
import { checkValues, NO_PARAMETERS, type CheckedValues } from '../value-schema/value-schema.js';

/** The objects of an add-on, or why there are none; paths begin at the add-on's spec. */
export interface RenderedAddOn {
  readonly manifests: readonly Manifest[];
  readonly errors: readonly FieldError[];
}

/** Why nothing can be made of values. */
export interface ValueMistakes {
  /** Against the schema; paths begin where the caller says. */
  readonly ofValues: readonly FieldError[];
  /** Looked for when there are no others; paths begin at the add-on's spec. */
  readonly ofObjects: readonly FieldError[];
}

interface Compilation {
  readonly compiled: CompiledAddOn;
  readonly errors: readonly FieldError[];
}

const NO_MISTAKES: ValueMistakes = { ofValues: [], ofObjects: [] };
/** Values that fit are remembered up to so many; most clusters ask for the same. */
const MOST_FITTING = 100;

/** Half of what a message between services takes: the rest is for the list of what was made of them, and whatever else an AddOnInstallation says. */
const MOST_BYTES = 2 * 1024 * 1024;

/** By manifests that nobody can change: each cluster that is written asks for its add-ons, and compiling them takes longer than the rest. */
const compilations = new WeakMap<readonly Manifest[], Compilation>();

/** One version of an add-on, ready to be installed with values. */
export class CompiledAddOn {
  private readonly fitting = new Set<string>();

  private constructor(
    private readonly content: AddOnContent,
    /** Absent: manifests are taken as they are. */
    private readonly template: Template | undefined,
  ) {}

  /** Content that was not checked may have errors; paths begin at the add-on's spec. The same for the same frozen content. */
  static of(content: AddOnContent): Compilation {
    const { valuesSchema, manifests, providers } = content;
    const known = compilations.get(manifests);
    const before = known?.compiled.content;
    // Others may come with the same manifests, of an add-on that is being changed.
    if (known && before?.valuesSchema === valuesSchema && before?.providers === providers) return known;
    const made = CompiledAddOn.compile(content);
    if (Object.isFrozen(manifests) && Object.isFrozen(valuesSchema)) compilations.set(manifests, made);
    return made;
  }

  private static compile(content: AddOnContent): Compilation {
    const { valuesSchema, manifests } = content;
    if (valuesSchema === undefined) return { compiled: new CompiledAddOn(content, undefined), errors: [] };
    const values = { name: 'values', members: memberTypesOf(valuesSchema) };
    const { template, errors } = compileTemplate({ manifests }, values, [CLUSTER_VARIABLE]);
    return { compiled: new CompiledAddOn(content, template), errors };
  }

  /** Schema of the values. */
  get schema(): JsonSchema {
    return this.content.valuesSchema ?? NO_PARAMETERS;
  }

  /** Values with defaults, or everything wrong with them; paths begin at `prefix`. */
  check(given: unknown, prefix: FieldPath): CheckedValues {
    return checkValues(this.schema, given, prefix, { owner: 'the add-on', one: 'value' });
  }

  /** Everything that is wrong with values, by the schema and by what would be made of them. */
  mistakesOf(given: unknown, prefix: FieldPath): ValueMistakes {
    const text = JSON.stringify(given) ?? '';
    if (this.fitting.has(text)) return NO_MISTAKES;
    const { values, errors: ofValues } = this.check(given, prefix);
    const ofObjects = ofValues.length > 0 ? [] : this.tried(values);
    if (ofValues.length + ofObjects.length === 0) this.noteFitting(text);
    return { ofValues, ofObjects };
  }

  private noteFitting(text: string): void {
    if (this.fitting.size >= MOST_FITTING) this.fitting.clear();
    this.fitting.add(text);
  }

  /** All mistakes that these values lead to in the first cluster that there might be where they do; paths begin at the add-on's spec. */
  tried(values: JsonObject): readonly FieldError[] {
    const { providers, manifests } = this.content;
    const mistakes = sampleFacts(providers).map((facts) => mistakesIn(this.render(values, facts), manifests));
    return mistakes.find((errors) => errors.length > 0) ?? [];
  }

  /** Whether its objects are others for another `cloudId`, which not every cluster has from its beginning. */
  get asksForCloudId(): boolean {
    return this.template !== undefined && /\bcloudId\b/.test(JSON.stringify(this.content.manifests));
  }

  /** The objects that are installed in a cluster with these values, which were checked. */
  render(values: JsonObject, facts: ClusterFacts): RenderedAddOn {
    if (!this.template) return { manifests: this.content.manifests, errors: [] };
    const { result, errors } = this.template.render(values, { [CLUSTER_VARIABLE.name]: facts });
    return { manifests: errors.length > 0 ? [] : (result as { manifests: Manifest[] }).manifests, errors };
  }
}

/** What no AddOnInstallation could hold is a mistake, too. */
function mistakesIn({ manifests, errors }: RenderedAddOn, written: readonly Manifest[]): readonly FieldError[] {
  if (errors.length > 0) return errors;
  const bytes = Buffer.byteLength(JSON.stringify(manifests));
  if (bytes <= MOST_BYTES) return manifestErrors(manifests, written);
  const detail = `must have at most ${MOST_BYTES} bytes as JSON, these have ${bytes}`;
  return [{ path: ['manifests'], reason: 'FieldValueTooLong', detail }];
}
