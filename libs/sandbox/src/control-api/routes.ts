import { forbidden, invalidSpec, notFound, type ErrorCause } from '@crate/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { CloudObject } from '../cloud/aws/resource-type.js';
import type { Inventory } from '../cloud/inventory.js';
import type { SimulatedCloud } from '../cloud/simulated-cloud.js';
import {
  accountQuery,
  fault,
  faultPath,
  inventoryQuery,
  latencySettings,
  objectChanges,
  objectQuery,
  objectRequest,
  sessionRequest,
  type InventoryItem,
} from './contract.js';

const CREATED = 201;
const NO_CONTENT = 204;

/** The control API of the simulated cloud: sessions for Terraform, the inventory, faults and latency. */
export function registerCloudRoutes(app: FastifyInstance, cloud: SimulatedCloud): void {
  registerIdentity(app, cloud);
  registerSessions(app, cloud);
  registerInventory(app, cloud);
  registerFaults(app, cloud);
  registerLatency(app, cloud);
}

/** Who one is by one's access key, as the cloud itself would say it. */
function registerIdentity(app: FastifyInstance, { faults }: SimulatedCloud): void {
  app.post('/v1/caller-identity', (request) => {
    const scope = read(sessionRequest, request.body, 'body');
    if (faults.hit('credentials', scope)) throw forbidden('The security token included in the request is invalid');
    return { account: scope.account };
  });
}

function registerSessions(app: FastifyInstance, { sessions }: SimulatedCloud): void {
  app.post('/v1/provider-sessions', async (request, reply) => {
    const session = await sessions.start(read(sessionRequest, request.body, 'body'));
    return reply.code(CREATED).send(session);
  });
  app.delete<{ Params: { id: string } }>('/v1/provider-sessions/:id', async (request, reply) => {
    await sessions.stop(request.params.id);
    return reply.code(NO_CONTENT).send();
  });
}

function registerInventory(app: FastifyInstance, { inventory, aws, calls }: SimulatedCloud): void {
  app.get('/v1/inventory', (request) => {
    const { account, type, network, tag, view } = read(inventoryQuery, request.query, 'query');
    const tags = Object.fromEntries(tag.map(splitTag));
    const filter = { ...(account === undefined ? {} : { account }), ...(type === undefined ? {} : { type }), tags };
    const within = network === undefined ? undefined : inventory.inNetwork(network);
    const found = inventory.list(filter).filter((object) => within?.has(object) ?? true);
    return (view === 'all' ? found : found.filter((object) => aws.isVisible(object, object))).map(toItem);
  });
  app.post('/v1/inventory', async (request, reply) => {
    const { account, region, type, attributes } = read(objectRequest, request.body, 'body');
    const { id } = await calls.create({ account, region }, type, attributes);
    const made = inventory.list({ account, type }).find((candidate) => candidate.id === id);
    return reply.code(CREATED).send(made && toItem(made));
  });
  app.delete('/v1/inventory', async (request, reply) => {
    await aws.remove(objectOf(inventory, request.query));
    return reply.code(NO_CONTENT).send();
  });
  app.patch('/v1/inventory', async (request, reply) => {
    await aws.change(objectOf(inventory, request.query), read(objectChanges, request.body, 'body').attributes);
    return reply.code(NO_CONTENT).send();
  });
}

/** Throws NotFound when there is none. */
function objectOf(inventory: Inventory, query: unknown): CloudObject {
  const { account, type, id } = read(objectQuery, query, 'query');
  const object = inventory.list({ account, type }).find((candidate) => candidate.id === id);
  if (!object) throw notFound(type, id);
  return object;
}

function registerFaults(app: FastifyInstance, { faults, held }: SimulatedCloud): void {
  app.get('/v1/held-calls', () => held.list());
  app.get('/v1/faults', () => faults.list());
  app.put('/v1/faults/:name', async (request) => {
    const { name } = read(faultPath, request.params, 'path');
    const value = read(fault, request.body, 'body');
    await faults.put(name, value);
    return { name, ...value };
  });
  app.delete('/v1/faults/:name', async (request, reply) => {
    const { name } = read(faultPath, request.params, 'path');
    if (!(await faults.remove(name))) throw notFound('fault', name);
    return reply.code(NO_CONTENT).send();
  });
  app.delete('/v1/faults', async (_request, reply) => {
    await Promise.all(faults.list().map(({ name }) => faults.remove(name)));
    return reply.code(NO_CONTENT).send();
  });
}

function registerLatency(app: FastifyInstance, { latency }: SimulatedCloud): void {
  app.get('/v1/latency', (request) => latency.get(read(accountQuery, request.query, 'query').account));
  app.put('/v1/latency', async (request) => {
    const { account } = read(accountQuery, request.query, 'query');
    const settings = read(latencySettings, request.body, 'body');
    await latency.set(settings, account);
    return settings;
  });
}

function read<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const causes = parsed.error.issues.flatMap((issue) => causesOf(issue, where));
  throw invalidSpec(`The request is not valid: ${z.prettifyError(parsed.error)}`, causes);
}

/** What Kubernetes would say of it; each key that does not belong there by itself. */
function causesOf(issue: z.core.$ZodIssue, where: string): readonly ErrorCause[] {
  const field = [where, ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      reason: 'FieldValueForbidden',
      message: 'does not belong here',
      field: `${field}.${key}`,
    }));
  }
  // Of what came as JSON only what is absent is undefined.
  const isAbsent = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ reason: isAbsent ? 'FieldValueRequired' : 'FieldValueInvalid', message: issue.message, field }];
}

function splitTag(tag: string): [string, string] {
  const at = tag.indexOf('=');
  return [tag.slice(0, at), tag.slice(at + 1)];
}

function toItem({ attributes: _attributes, ...item }: CloudObject): InventoryItem {
  return item;
}
