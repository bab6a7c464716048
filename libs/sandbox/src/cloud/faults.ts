import { z } from 'zod';
import type { DurableMap } from '../journal/durable-map.js';
import { AwsError, type AwsService } from './aws/aws-error.js';
import type { ResourceType, Scope } from './aws/resource-type.js';

const PREFIX = 'fault/';
const SERVER_ERROR = 500;
const UNAVAILABLE = 503;
const FORBIDDEN = 403;
const UNAUTHORIZED = 401;

const common = {
  /** Only this account; all of them when absent. */
  account: z.string().optional(),
  /** Goes away after this many hits. */
  remaining: z.int().min(1).optional(),
};
const typed = { ...common, type: z.string().startsWith('aws_').optional() };
const probable = { ...typed, probability: z.number().gt(0).max(1).default(1) };

/** A way in which the simulated cloud misbehaves. */
export const fault = z.discriminatedUnion('kind', [
  /** No more than `limit` objects of the type in a region. */
  z.strictObject({
    kind: z.literal('quota'),
    ...common,
    type: z.string().startsWith('aws_').default('aws_instance'),
    limit: z.int().min(0).default(0),
  }),
  /** No more than `limit` virtual processors in a region. */
  z.strictObject({ kind: z.literal('vcpu-quota'), ...common, limit: z.int().min(0) }),
  /** AWS has no machines left, of one machine type or in one zone if so said. */
  z.strictObject({
    kind: z.literal('capacity'),
    ...common,
    machineType: z.string().optional(),
    zone: z.string().optional(),
  }),
  /** Credentials are not valid: those with this access key, or any. */
  z.strictObject({ kind: z.literal('credentials'), ...common, accessKeyId: z.string().optional() }),
  /** Credentials are valid but may not do this. */
  z.strictObject({ kind: z.literal('unauthorized'), ...typed }),
  /** Too many requests. */
  z.strictObject({ kind: z.literal('throttle'), ...probable }),
  /** An error within AWS. */
  z.strictObject({ kind: z.literal('server-error'), ...probable }),
  /** The object is made, and the answer lost. */
  z.strictObject({ kind: z.literal('timeout-after-success'), ...probable }),
  /** New objects cannot be seen by other calls for a while. */
  z.strictObject({ kind: z.literal('eventual-consistency'), ...typed, delayMs: z.int().min(1).max(600_000) }),
  /** Calls stand still until the fault is taken away. */
  z.strictObject({
    kind: z.literal('hold'),
    account: common.account,
    type: z
      .string()
      .regex(/^(aws_\w+|rke)$/, 'must be a type of Terraform such as aws_vpc, or rke')
      .optional(),
    /** `up` and `remove` are stages of runs of rke. */
    action: z.enum(['create', 'read', 'update', 'delete', 'up', 'remove']).optional(),
    /** Before anything was done, or once it is done and before the answer. */
    moment: z.enum(['before', 'after']).default('before'),
    /** How many calls go by first. */
    skip: z.int().min(0).default(0),
  }),
  /** Objects of the type take so much longer to go. */
  z.strictObject({ kind: z.literal('slow-deletion'), ...typed, delayMs: z.int().min(1).max(600_000) }),
]);

/** Stays in force until it is taken away, or has hit as often as `remaining` says; times are in milliseconds. */
export type Fault = z.output<typeof fault>;

/** A fault and the name it was given. */
export type NamedFault = Fault & { readonly name: string };

type FaultOf<K extends Fault['kind']> = Extract<Fault, { kind: K }> & { readonly name: string };

/** The faults in force, by name; kept on disk. */
export class Faults {
  constructor(
    private readonly store: DurableMap,
    private readonly random: () => number = Math.random,
  ) {}

  list(): NamedFault[] {
    return [...this.store.list(PREFIX)].map(([key, value]) => ({
      name: key.slice(PREFIX.length),
      ...(value as Fault),
    }));
  }

  async put(name: string, value: Fault): Promise<void> {
    this.store.put(PREFIX + name, value);
    await this.store.flush();
  }

  /** False when there was none of that name. */
  async remove(name: string): Promise<boolean> {
    const isThere = this.store.get(PREFIX + name) !== undefined;
    this.store.delete(PREFIX + name);
    await this.store.flush();
    return isThere;
  }

  /** The first fault of a kind that applies here, without counting it as a hit. */
  find<K extends Fault['kind']>(kind: K, scope: Scope, type?: string): FaultOf<K> | undefined {
    return this.list().find((candidate): candidate is FaultOf<K> => {
      if (candidate.kind !== kind) return false;
      if ((candidate.account ?? scope.account) !== scope.account) return false;
      if (candidate.kind === 'credentials') return (candidate.accessKeyId ?? scope.accessKeyId) === scope.accessKeyId;
      return !('type' in candidate) || candidate.type === undefined || candidate.type === type;
    });
  }

  /** Like `find`, then tosses the fault's coin and counts a hit. */
  hit<K extends Fault['kind']>(kind: K, scope: Scope, type?: string): FaultOf<K> | undefined {
    const found = this.find(kind, scope, type);
    if (!found) return undefined;
    if ('probability' in found && this.random() >= found.probability) return undefined;
    this.count(found);
    return found;
  }

  /** The hold that stops a call here, if any; a call that goes by is counted. */
  hold(scope: Scope, type: string, call: Pick<FaultOf<'hold'>, 'action' | 'moment'>): FaultOf<'hold'> | undefined {
    for (const candidate of this.list()) {
      if (candidate.kind !== 'hold' || candidate.moment !== call.moment) continue;
      if ((candidate.account ?? scope.account) !== scope.account || (candidate.type ?? type) !== type) continue;
      if ((candidate.action ?? call.action) !== call.action) continue;
      if (candidate.skip === 0) return candidate;
      const { name, ...value } = candidate;
      this.store.put(PREFIX + name, { ...value, skip: value.skip - 1 });
    }
    return undefined;
  }

  isInForce(name: string): boolean {
    return this.store.get(PREFIX + name) !== undefined;
  }

  /** Takes one from what remains of a fault. */
  count({ name, ...value }: NamedFault): void {
    if (!('remaining' in value) || value.remaining === undefined) return;
    if (value.remaining === 1) this.store.delete(PREFIX + name);
    else this.store.put(PREFIX + name, { ...value, remaining: value.remaining - 1 });
  }

  /** Throws AwsError for a call that the account or the network spoils, whatever it asks. */
  checkCall(scope: Scope, type: ResourceType, operation: string): void {
    if (this.hit('credentials', scope)) throw rejectedCredentials(type.service);
    if (this.hit('unauthorized', scope, type.name)) throw unauthorized(scope, type.service, operation);
    if (this.hit('throttle', scope, type.name)) throw throttled(type.service);
    if (this.hit('server-error', scope, type.name)) throw serverError(type.service);
  }
}

/** Answer to a call with credentials that are not valid. */
export function rejectedCredentials(service: AwsService): AwsError {
  return service === 'EC2'
    ? new AwsError('AuthFailure', 'AWS was not able to validate the provided access credentials', UNAUTHORIZED)
    : new AwsError('InvalidClientTokenId', 'The security token included in the request is invalid.', FORBIDDEN);
}

/** What the SDK reports when the answer to a call never came. */
export function lostAnswer(service: AwsService, region: string): AwsError {
  const host = service === 'IAM' ? 'iam.amazonaws.com' : `${hostOf(service)}.${region}.amazonaws.com`;
  return new AwsError(
    'RequestTimeout',
    `request send failed, Post "https://${host}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    0,
  );
}

function unauthorized(scope: Scope, service: AwsService, operation: string): AwsError {
  const user = `arn:aws:iam::${scope.account}:user/crate`;
  const action = `${hostOf(service)}:${operation}`;
  const message = `User: ${user} is not authorized to perform: ${action} because no identity-based policy allows the ${action} action`;
  return service === 'EC2'
    ? new AwsError('UnauthorizedOperation', `You are not authorized to perform this operation. ${message}`, FORBIDDEN)
    : new AwsError('AccessDenied', message, FORBIDDEN);
}

function throttled(service: AwsService): AwsError {
  return service === 'EC2'
    ? new AwsError('RequestLimitExceeded', 'Request limit exceeded.', UNAVAILABLE, true)
    : new AwsError('Throttling', 'Rate exceeded', undefined, true);
}

function serverError(service: AwsService): AwsError {
  return service === 'EC2'
    ? new AwsError('InternalError', 'An internal error has occurred', SERVER_ERROR, true)
    : new AwsError('InternalFailure', 'An internal error has occurred', SERVER_ERROR, true);
}

function hostOf(service: AwsService): string {
  return service === 'Elastic Load Balancing v2' ? 'elasticloadbalancing' : service.toLowerCase();
}
