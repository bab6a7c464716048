import type { SubresourceContent, SubresourceDefinition, JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { documents, named, operation, type Content, type OperationInput } from './operation.js';
import { LOG_PARAMETERS, PRETTY, query, WRITE_PARAMETERS } from './parameters.js';
import { FAILURES_OF } from './responses.js';
import { reference, SHARED } from './schema-names.js';
import { toOpenApi } from './to-openapi.js';

type Verb = SubresourceDefinition['verbs'][number];

const METHODS: Readonly<Record<Verb, string>> = { create: 'post', get: 'get', patch: 'patch', update: 'put' };
const IDS: Readonly<Record<Verb, string>> = { create: 'create', get: 'read', patch: 'patch', update: 'replace' };
const ANYTHING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const PLAIN_TEXT: Content = { 'text/plain': { schema: { type: 'string' } } };

/** What can be done to one subresource, other than `status`, of an object. */
export function subresourcePath(kind: KindInfo, subresource: SubresourceDefinition): JsonObject {
  const operations = subresource.verbs.map((verb) => {
    const input = verb === 'get' ? reading(subresource) : writing(subresource, verb);
    return [METHODS[verb], operation(kind, { ...common(kind, subresource, verb), ...input })] as const;
  });
  return Object.fromEntries(operations);
}

function common(kind: KindInfo, { name, description }: SubresourceDefinition, verb: Verb) {
  return {
    id: IDS[verb],
    subject: `${kind.kind}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary: `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${name} of a ${kind.kind}`,
    ...(description === undefined ? {} : { description }),
    action: METHODS[verb],
  };
}

type Input = Pick<OperationInput, 'parameters' | 'body' | 'answers' | 'failures'>;

function reading(subresource: SubresourceDefinition): Input {
  const isLog = subresource.isLog === true;
  const fallback = isLog ? PLAIN_TEXT : documents(ANYTHING);
  const document = isScale(subresource) ? named(SHARED.scale) : contentOf(subresource.answers, fallback);
  const content = hasText(subresource) ? { ...document, ...PLAIN_TEXT } : document;
  return {
    parameters: isLog ? LOG_PARAMETERS : [...declared(subresource), PRETTY],
    answers: { 200: { description: subresource.description ?? 'OK', content } },
    failures: FAILURES_OF.subresource,
  };
}

/** Whether it is also sent as text for people. */
function hasText({ parameters = [] }: SubresourceDefinition): boolean {
  return parameters.some(({ name, values }) => name === 'format' && values?.includes('text'));
}

function declared({ parameters = [] }: SubresourceDefinition): readonly JsonObject[] {
  return parameters.map(({ name, description, values }) =>
    query(name, values ? { type: 'string', enum: [...values] } : { type: 'string' }, description),
  );
}

function writing(subresource: SubresourceDefinition, verb: Verb): Input {
  const isReplicas = isScale(subresource);
  const taken = isReplicas ? named(SHARED.scale) : contentOf(subresource.takes, documents(ANYTHING));
  const given = isReplicas ? named(SHARED.scale) : contentOf(subresource.gives, documents(ANYTHING));
  const content = verb === 'patch' ? asPatches(taken) : taken;
  return {
    parameters: [...WRITE_PARAMETERS, PRETTY],
    body: { required: true, content },
    answers: { [verb === 'create' ? 201 : 200]: { description: 'Done', content: given } },
    failures: FAILURES_OF.update,
  };
}

function asPatches(content: Content): Content {
  const [first] = Object.values(content);
  const patch = { 'application/json-patch+json': { schema: reference(SHARED.patch) } };
  return first === undefined ? patch : { 'application/merge-patch+json': first, ...patch };
}

function isScale({ name }: SubresourceDefinition): boolean {
  return name === 'scale';
}

function contentOf(content: SubresourceContent | undefined, fallback: Content): Content {
  if (!content) return fallback;
  const { mediaType, example } = content;
  const schema = content.schema === undefined ? ANYTHING : toOpenApi(content.schema);
  if (mediaType === 'application/json') return documents(schema, example);
  return { [mediaType]: example === undefined ? { schema } : { schema, example } };
}
