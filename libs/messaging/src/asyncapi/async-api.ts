import { CALL_MATRIX, SERVICES, subjects, TOKEN_HEADER } from '@crate/auth';
import { announcementSchema } from '../directory/announcement.js';
import { hintsSchema } from '../hints/nats-hint-bus.js';
import { ORIGIN_HEADER } from '../call/origin.js';
import { DEADLINE_HEADER, LATE_CALL_MS, REQUEST_ID_HEADER, TIMEOUT_HEADER, TRACE_HEADER } from '../call/wire.js';
import { FAILURE, type JsonSchema } from './answers.js';
import { describedMethods, jsonSchemaOf, type MethodDescription } from './methods.js';

const text: JsonSchema = { type: 'string' };
const PARAMETERS = { service: { description: 'The service that answers or tells', enum: [...SERVICES] } };
const PLACEHOLDER = '{service}';

/** What services say to each other over NATS, as an AsyncAPI 3.0 document made from the schemas they check by. */
export function asyncApiDocument(version: string): Readonly<Record<string, unknown>> {
  const methods = describedMethods();
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Crate between its services',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: { nats: { host: 'localhost:4222', protocol: 'nats', description: 'Core NATS; nothing is kept in it' } },
    channels: {
      ...Object.fromEntries(methods.map((method) => [idOf(method), methodChannel(method)])),
      ...ANNOUNCEMENTS,
    },
    operations: { ...Object.assign({}, ...methods.map(methodOperation)), ...announcementOperations() },
    components: { schemas: { Failure: FAILURE }, messageTraits: { call: { headers: CALL_HEADERS } } },
  };
}

const DESCRIPTION = `Services call each other by request and reply, and tell each other of changes by hints that may be lost.

Who may call whom: ${Object.entries(CALL_MATRIX)
  .filter(([, callees]) => callees.length > 0)
  .map(([caller, callees]) => `${caller} calls ${callees.join(', ')}`)
  .join(
    '; ',
  )}. It is enforced by the subjects that nats-server lets each service use, and by the audience and scope of the token in every request.

A reply is \`{"response": {"ok": true, "value": …}}\` or \`{"response": {"ok": false, "status": …}}\` with a Status of Kubernetes.

What is written to a kind with a \`writeOnly\` field, what goes to or comes from a subresource that holds a secret, and every answer to such a request is sealed for its receiver:
members of the request's data stand in \`sealed\`, and so does the whole response, as \`v1.<key id>.<ephemeral X25519 key>.<AES-256-GCM ciphertext and tag>\`. The request's id is part of what it is bound to.`;

const CALL_HEADERS: JsonSchema = {
  type: 'object',
  required: [TOKEN_HEADER],
  properties: {
    [TOKEN_HEADER]: { ...text, description: 'JWT of the calling service: audience, scope, and on whose behalf' },
    [TRACE_HEADER]: { ...text, description: 'W3C trace context' },
    [REQUEST_ID_HEADER]: { ...text, description: 'The id of the request again; sealed parts are bound to it' },
    [ORIGIN_HEADER]: {
      ...text,
      description:
        "Where a person's request came from, for the audit log: JSON with address and userAgent, in base64url",
    },
    [TIMEOUT_HEADER]: { ...text, description: 'Milliseconds that the caller will wait' },
    [DEADLINE_HEADER]: {
      ...text,
      description: `When the caller will wait no more, in milliseconds since 1970; what comes more than ${LATE_CALL_MS / 1000} s later is refused and not begun`,
    },
  },
};

function methodChannel({ name, summary, service, request, answer }: MethodDescription): JsonSchema {
  const address = subjects.method(service ?? PLACEHOLDER, name);
  return {
    address,
    title: name,
    summary,
    ...(service === undefined ? { parameters: PARAMETERS } : {}),
    messages: {
      request: {
        name: `${name} request`,
        contentType: 'application/json',
        traits: [{ $ref: '#/components/messageTraits/call' }],
        payload: {
          type: 'object',
          required: ['pattern', 'data', 'id'],
          properties: { pattern: { ...text, description: 'The subject again' }, id: text, data: request },
        },
      },
      reply: { name: `${name} reply`, contentType: 'application/json', payload: replyOf(answer) },
    },
  };
}

const SEALED: JsonSchema = {
  type: 'object',
  required: ['sealed'],
  properties: { sealed: { ...text, description: 'Opens with the private key of the caller alone' } },
};

function replyOf(answer: JsonSchema): JsonSchema {
  const success = { type: 'object', required: ['ok'], properties: { ok: { const: true }, value: answer } };
  return {
    type: 'object',
    required: ['response', 'id'],
    properties: { id: text, response: { oneOf: [success, { $ref: '#/components/schemas/Failure' }, SEALED] } },
  };
}

function methodOperation(method: MethodDescription): JsonSchema {
  const id = idOf(method);
  const channel = { $ref: `#/channels/${id}` };
  return {
    [id]: {
      action: 'receive',
      channel,
      summary: method.summary,
      description: `The token must grant ${method.scope}.`,
      messages: [{ $ref: `#/channels/${id}/messages/request` }],
      reply: {
        address: { location: '$message.header#/reply' },
        channel,
        messages: [{ $ref: `#/channels/${id}/messages/reply` }],
      },
    },
  };
}

const ANNOUNCEMENTS: JsonSchema = {
  hints: {
    address: subjects.hints(PLACEHOLDER),
    summary: 'Objects that changed; losing one costs time only',
    parameters: PARAMETERS,
    messages: { hints: { name: 'hints', contentType: 'application/json', payload: jsonSchemaOf(hintsSchema) } },
  },
  announce: {
    address: subjects.announce(PLACEHOLDER),
    summary: 'The kinds that a replica serves: at its start, when asked, and now and then',
    parameters: PARAMETERS,
    messages: {
      announcement: {
        name: 'announcement',
        contentType: 'application/json',
        headers: { type: 'object', required: [TOKEN_HEADER], properties: { [TOKEN_HEADER]: text } },
        payload: jsonSchemaOf(announcementSchema),
      },
    },
  },
  discovery: {
    address: subjects.discovery,
    summary: 'Who is there? Every service announces itself in answer',
    messages: { question: { name: 'question', payload: { description: 'Nothing' } } },
  },
};

function announcementOperations(): JsonSchema {
  const operation = (action: string, channel: string): JsonSchema => ({
    action,
    channel: { $ref: `#/channels/${channel}` },
  });
  return {
    publishHints: operation('send', 'hints'),
    hearHints: operation('receive', 'hints'),
    announceKinds: operation('send', 'announce'),
    hearAnnouncements: operation('receive', 'announce'),
    askWhoIsThere: operation('send', 'discovery'),
    answerWhoIsThere: operation('receive', 'discovery'),
  };
}

function idOf({ name }: MethodDescription): string {
  return name.replaceAll('.', '_');
}
