import type { z } from 'zod';
import type { JsonSchema } from '../kinds/json-schema.js';
import type { FieldPath } from './field-error.js';

type Schema = z.core.$ZodType;

/** Names of the fields that a schema has for the object at `path`; none where it takes any name, or has no object there. Pure. */
export function namesInZod(schema: Schema, path: FieldPath): readonly string[] {
  const [step, ...rest] = path;
  return alternativesOf(schema).flatMap((each) => {
    if (step !== undefined) return below(each, step).flatMap((member) => namesInZod(member, rest));
    const { def } = each._zod as z.core.$ZodTypes['_zod'];
    return def.type === 'object' ? Object.keys(def.shape) : [];
  });
}

/** The same of a structural schema. Pure. */
export function namesInStructure(schema: JsonSchema, path: FieldPath): readonly string[] {
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(schema.properties ?? {});
  const { properties, additionalProperties, items } = schema;
  const named = typeof step === 'number' ? items : properties?.[step];
  const member = named ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  return member ? namesInStructure(member, rest) : [];
}

/** What is inside of wrappers, such as defaults, and of unions. */
function alternativesOf(schema: Schema): readonly Schema[] {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  if ('innerType' in def) return alternativesOf(def.innerType);
  if (def.type === 'pipe') return alternativesOf(def.in);
  if (def.type === 'lazy') return alternativesOf(def.getter());
  if (def.type === 'union') return def.options.flatMap(alternativesOf);
  if (def.type === 'intersection') return [def.left, def.right].flatMap(alternativesOf);
  return [schema];
}

function below(schema: Schema, step: string | number): readonly Schema[] {
  const { def } = schema._zod as z.core.$ZodTypes['_zod'];
  if (def.type === 'array') return [def.element];
  if (def.type === 'record') return [def.valueType];
  if (def.type !== 'object') return [];
  const member = def.shape[step];
  return member ? [member] : [];
}
