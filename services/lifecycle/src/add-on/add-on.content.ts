import type { AddOnContent, Manifest } from '@crate/api';
import { compileTemplate, memberTypesOf, type Template } from '@crate/cel';
import type { FieldError, FieldPath, JsonObject, JsonSchema } from '@crate/resource-server';
import { checkValues, NO_PARAMETERS, type CheckedValues } from '../value-schema/value-schema.js';

/** The objects of an add-on, or why there are none; paths begin at the add-on's spec. */
export interface RenderedAddOn {
  readonly manifests: readonly Manifest[];
  readonly errors: readonly FieldError[];
}

/** One version of an add-on, ready to be installed with values. */
export class CompiledAddOn {
  private constructor(
    private readonly content: AddOnContent,
    /** Absent: manifests are taken as they are. */
    private readonly template: Template | undefined,
  ) {}

  /** Content that was not checked may have errors; paths begin at the add-on's spec. */
  static of(content: AddOnContent): { readonly compiled: CompiledAddOn; readonly errors: readonly FieldError[] } {
    const { valuesSchema, manifests } = content;
    if (valuesSchema === undefined) return { compiled: new CompiledAddOn(content, undefined), errors: [] };
    const values = { name: 'values', members: memberTypesOf(valuesSchema) };
    const { template, errors } = compileTemplate({ manifests }, values);
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

  /** The objects that are installed with these values, which were checked. */
  render(values: JsonObject): RenderedAddOn {
    if (!this.template) return { manifests: this.content.manifests, errors: [] };
    const { result, errors } = this.template.render(values);
    return { manifests: errors.length > 0 ? [] : (result as { manifests: Manifest[] }).manifests, errors };
  }
}
