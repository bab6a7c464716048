import { CLUSTER, SUPPORTED_KUBERNETES_VERSIONS, type ClassContent, type Cluster, type JsonObject } from '@crate/api';
import { toFieldErrors, unknownKeys, type FieldError, type FieldPath } from '@crate/resource-server';
import { unsupportedVersion } from '../cluster/cluster.versions.js';
import { CompiledClass } from './class-content.js';
import { checkParameters } from './class-parameters.js';
import { samplesOf } from '../value-schema/value-samples.js';
import { schemaIssues } from '../value-schema/value-schema.js';
import { below } from './cluster-class.errors.js';
import { parseSpecPath, schemaAt } from './spec-path.js';
import { SpecTree } from './spec-tree.js';

/** Says which class and how, or is for each cluster to say. */
const NOT_IN_TEMPLATES = ['classRef', 'parameters', 'paused'];

/** What a cluster must say in any case, to judge a template that leaves it to the cluster. */
const LEFT_TO_CLUSTERS = {
  accountRef: { name: 'account' },
  region: 'us-east-1',
  kubernetes: { version: SUPPORTED_KUBERNETES_VERSIONS.rke[0] },
};

/** Everything that is wrong with a class, as far as it can be known before a cluster uses it; paths begin at the spec. */
export function checkClass(content: ClassContent): readonly FieldError[] {
  const schema =
    content.parameters === undefined ? [] : toFieldErrors(schemaIssues(content.parameters), content.parameters);
  const unknown = content.parameters === undefined ? [] : unknownKeys(schemaIssues(content.parameters));
  const parameters = below(['parameters'], [...schema, ...unknown.map(unknownKeyword)]);
  if (parameters.length > 0) return [...parameters, ...checkLocked(content)];
  const { compiled, errors } = CompiledClass.of(content);
  const trials = errors.length > 0 ? [] : checkSamples(compiled);
  return [...errors, ...checkTemplateFields(content), ...trials, ...checkLocked(content)];
}

function unknownKeyword(path: FieldPath): FieldError {
  return { path, reason: 'FieldValueForbidden', detail: 'parameters have no use for this keyword' };
}

function checkTemplateFields({ template }: ClassContent): readonly FieldError[] {
  const fields = NOT_IN_TEMPLATES.filter((field) => Object.hasOwn(template, field));
  const detail = 'each cluster says this for itself';
  return fields.map((field) => ({ path: ['template', field], reason: 'FieldValueForbidden', detail }));
}

function checkLocked({ locked }: ClassContent): readonly FieldError[] {
  return locked.flatMap((text, index): readonly FieldError[] => {
    const path = parseSpecPath(text);
    if (path && schemaAt(path)) return [];
    const detail = 'must be the path of a field of Cluster.spec, such as kubernetes.version or nodePools[workers]';
    return [{ path: ['locked', index], value: text, reason: 'FieldValueInvalid', detail }];
  });
}

/** Tries the template with parameters that clusters might state, and tells each mistake once. */
function checkSamples(compiled: CompiledClass): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  for (const { params, isGuessed } of samplesOf(compiled.schema)) {
    const checked = checkParameters(compiled.schema, params, []);
    if (checked.errors.length > 0) continue; // A made-up value that does not fit says nothing about the template.
    const { spec, errors } = compiled.render(checked.params);
    const told = errors.length > 0 ? errors : clusterErrors(spec);
    for (const error of told) {
      const isUncertain = isGuessed && compiled.isComputed(error.path) && error.reason !== 'FieldValueTypeInvalid';
      const key = JSON.stringify(error.path);
      if (!isUncertain && !found.has(key))
        found.set(key, { ...error, detail: withParams(error.detail, checked.params) });
    }
  }
  return below(['template'], [...found.values()]);
}

function withParams(detail: string, params: JsonObject): string {
  return Object.keys(params).length === 0 ? detail : `${detail} (with parameters ${JSON.stringify(params)})`;
}

function clusterErrors(given: JsonObject): readonly FieldError[] {
  const whole = SpecTree.from([...SpecTree.of(given).leaves, ...SpecTree.of(LEFT_TO_CLUSTERS).leaves]);
  const body = { spec: whole.toSpec() };
  const parsed = CLUSTER.body.safeParse(body);
  if (parsed.success) return versionErrors((parsed.data as Pick<Cluster, 'spec'>).spec);
  const unknown = unknownKeys(parsed.error.issues).map((path): FieldError => {
    return { path, reason: 'FieldValueForbidden', detail: 'Cluster.spec has no such field' };
  });
  return [...toFieldErrors(parsed.error.issues, body), ...unknown].map((error) => ({
    ...error,
    path: error.path.slice(1),
  }));
}

function versionErrors(spec: Cluster['spec']): readonly FieldError[] {
  const unsupported = unsupportedVersion(spec);
  if (!unsupported) return [];
  const { version: value, wanted: detail } = unsupported;
  return [{ path: ['kubernetes', 'version'], value, reason: 'FieldValueInvalid', detail }];
}
