import { ADD_ON, type AddOn, type AddOnContent, type Cluster } from '@crate/api';
import type { TypedClient } from '@crate/resource-client';
import {
  invalidObject,
  jsonEqual,
  toFieldErrors,
  unknownKeys,
  type AdmissionHook,
  type FieldError,
  type FieldPath,
  type JsonSchema,
} from '@crate/resource-server';
import { samplesOf } from '../value-schema/value-samples.js';
import { schemaIssues } from '../value-schema/value-schema.js';
import { CompiledAddOn } from './add-on.content.js';
import { copiedFields, statedTwice } from './add-on.manifests.js';
import { refuseInPlace } from './add-on.pinned.js';
import { refuseInUse } from './add-on.use.js';
import { requestErrors } from './add-on.values.js';
import { contentOf } from './add-on.versions.js';

const SHOWN_CLUSTERS = 10;

/**
 * Refuses an add-on that no cluster could install (422, one cause per field), and to delete one that is in use (409, naming who uses it).
 * A change warns of clusters whose values do not fit it: they keep what they have.
 */
export function addOnAdmission(clusters: Pick<TypedClient<Cluster>, 'list'>): AdmissionHook {
  return async ({ operation, object, oldObject, context }) => {
    if (operation === 'DELETE') {
      await refuseInUse(object as AddOn, clusters);
      return undefined;
    }
    const [now, before] = [object as AddOn, oldObject as AddOn | undefined];
    if (before && jsonEqual(contentOf(now.spec), contentOf(before.spec))) return undefined;
    const errors = checkContent(now.spec);
    if (errors.length > 0) {
      const paths = errors.map((error) => ({ ...error, path: ['spec', ...error.path] }));
      throw invalidObject(ADD_ON, now.metadata.name, paths);
    }
    // What ships is set back to what it was; everybody else raises the version.
    if (before && context.caller.service === undefined) await refuseInPlace(now, before, clusters);
    if (!before || jsonEqual(now.spec.valuesSchema, before.spec.valuesSchema)) return undefined;
    return { warnings: [...(await misfits(now, clusters))] };
  };
}

/** Everything that is wrong with a version, as far as it can be known before a cluster installs it; paths begin at the spec. */
export function checkContent(content: AddOnContent): readonly FieldError[] {
  const { valuesSchema, manifests } = content;
  const asWritten = [...checkProviders(content), ...statedTwice(manifests), ...copiedFields(manifests)];
  if (asWritten.length > 0) return asWritten;
  if (valuesSchema === undefined) return CompiledAddOn.of(content).compiled.tried({});
  const issues = schemaIssues(valuesSchema);
  const unknown = unknownKeys(issues).map((path): FieldError => {
    return { path, reason: 'FieldValueForbidden', detail: 'values have no use for this keyword' };
  });
  const ofSchema = [...toFieldErrors(issues, valuesSchema), ...unknown, ...secrets(valuesSchema, [])];
  if (ofSchema.length > 0) return ofSchema.map((error) => ({ ...error, path: ['valuesSchema', ...error.path] }));
  const { compiled, errors } = CompiledAddOn.of(content);
  return errors.length > 0 ? errors : [...checkDefault(content, compiled), ...checkSamples(compiled)];
}

/** A default is for clusters that may have the add-on. */
function checkProviders({ providers, defaultFor = [] }: AddOnContent): readonly FieldError[] {
  if (providers === undefined) return [];
  const detail = `must be one of spec.providers: ${providers.join(', ')}`;
  return defaultFor.flatMap((value, index): readonly FieldError[] =>
    providers.includes(value) ? [] : [{ path: ['defaultFor', index], value, reason: 'FieldValueInvalid', detail }],
  );
}

/** Nobody states values for what comes unasked. */
function checkDefault({ defaultFor = [] }: AddOnContent, compiled: CompiledAddOn): readonly FieldError[] {
  if (defaultFor.length === 0) return [];
  const { errors } = compiled.check(undefined, ['valuesSchema', 'properties']);
  return errors.map((error) => ({
    ...error,
    detail: `${error.detail}: a cluster that has it by default states no values`,
  }));
}

/** Values stand in the Cluster, where everybody reads them who may see it. */
function secrets(schema: JsonSchema, path: FieldPath): readonly FieldError[] {
  const detail = 'must not be a secret: whoever may see a cluster sees its values. Take the name of a Secret instead';
  const own: FieldError = { path: [...path, 'format'], value: 'password', reason: 'FieldValueForbidden', detail };
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    secrets(member, [...path, 'properties', name]),
  );
  const others = (['items', 'additionalProperties'] as const).flatMap((keyword) => {
    const member = schema[keyword];
    return typeof member === 'object' ? secrets(member, [...path, keyword]) : [];
  });
  return [...(schema.format === 'password' ? [own] : []), ...members, ...others];
}

/** Makes objects of values that clusters might state, and tells each mistake once. */
function checkSamples(compiled: CompiledAddOn): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  for (const { params, isGuessed } of samplesOf(compiled.schema)) {
    const { values, errors } = compiled.check(params, []);
    if (errors.length > 0) continue; // A made-up value that does not fit says nothing about the manifests.
    for (const error of compiled.tried(values)) {
      // Nor do made-up names that are the same.
      if (isGuessed && error.reason === 'FieldValueDuplicate') continue;
      const key = JSON.stringify(error.path);
      const detail = `${error.detail} (with values ${JSON.stringify(values)})`;
      if (!found.has(key)) found.set(key, { ...error, detail });
    }
  }
  return [...found.values()];
}

/** Clusters that follow the add-on with values which its new version does not take. */
async function misfits(addOn: AddOn, clusters: Pick<TypedClient<Cluster>, 'list'>): Promise<readonly string[]> {
  const { name } = addOn.metadata;
  const catalogue = new Map([[name, addOn]]);
  const lines = (await clusters.list()).flatMap(({ metadata, spec }) => {
    const asked = spec.addOns.map((request) => (request.version === undefined ? request : { name: '' }));
    const [first] = requestErrors(asked, [], catalogue);
    return first ? [`${metadata.namespace ?? ''}/${metadata.name}: ${first.path.join('.')}: ${first.detail}`] : [];
  });
  if (lines.length === 0) return [];
  const more = lines.length - SHOWN_CLUSTERS;
  return [
    `${lines.length} clusters state values that this version does not take; they keep what they have, and say so`,
    ...lines.slice(0, SHOWN_CLUSTERS),
    ...(more > 0 ? [`and ${more} more clusters`] : []),
  ];
}
