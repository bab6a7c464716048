import { formatApiVersion, type JsonObject } from '@crate/api';
import type { KindInfo } from '@crate/resource-client';
import { failuresOf, HEADERS } from './responses.js';
import { reference } from './schema-names.js';

/** A schema under one or more media types. */
export type Content = Readonly<Record<string, { readonly schema: JsonObject; readonly example?: unknown }>>;

/** What differs between the operations of a kind. */
export interface OperationInput {
  /** First part of the operation's id, such as `create`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Kubernetes' name for what it does. */
  readonly action: string;
  /** Last part of the id; default: the kind. */
  readonly subject?: string;
  readonly parameters?: readonly JsonObject[];
  readonly body?: { readonly content: Content; readonly required: boolean };
  readonly answers: Readonly<Record<number, { readonly description: string; readonly content: Content }>>;
  readonly failures: readonly number[];
}

/** JSON and YAML of one schema. */
export function documents(schema: JsonObject, example?: unknown): Content {
  const entry = example === undefined ? { schema } : { schema, example };
  return { 'application/json': entry, 'application/yaml': entry };
}

/** JSON and YAML of a schema that the document holds under a name. */
export function named(name: string, example?: unknown): Content {
  return documents(reference(name), example);
}

/** An operation on a kind, as OpenAPI 3.0 has it. */
export function operation(kind: KindInfo, input: OperationInput): JsonObject {
  const { id, summary, description, action, subject = kind.kind, parameters = [], body, answers, failures } = input;
  const { group, version } = kind;
  return {
    operationId: `${id}_${group.replaceAll(/[^A-Za-z0-9]/g, '_')}_${version}_${subject}`,
    tags: [tagOf(kind)],
    summary,
    ...(description === undefined ? {} : { description }),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind: kind.kind },
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: { ...withHeaders(answers), ...failuresOf(failures) },
  };
}

/** Under which heading a kind's operations are shown. */
export function tagOf(kind: Pick<KindInfo, 'group' | 'version' | 'kind'>): string {
  return `${formatApiVersion(kind.group, kind.version)} ${kind.kind}`;
}

function withHeaders(answers: OperationInput['answers']): JsonObject {
  const withOwn = Object.entries(answers).map(([code, answer]) => [code, { ...answer, headers: HEADERS }]);
  return Object.fromEntries(withOwn) as JsonObject;
}
