import type { Block } from '../terraform/schema.js';
import type { Value, Values } from '../terraform/value.js';
import type { AwsError, AwsService } from './aws-error.js';

/** Where a call is made, and with whose credentials. */
export interface Scope {
  readonly account: string;
  readonly region: string;
  readonly accessKeyId?: string;
}

/** A thing in the simulated cloud. */
export interface CloudObject {
  readonly provider: 'aws';
  readonly account: string;
  /** `global` for IAM. */
  readonly region: string;
  /** Terraform's name of the type, such as `aws_subnet`. */
  readonly type: string;
  readonly id: string;
  /** What `terraform import` takes. */
  readonly importId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: string;
  /** As Terraform's state shows them. */
  readonly attributes: Values;
}

/** An attribute that holds the id of another object. */
export interface Reference {
  /** Its name, or its path through a list of blocks. */
  readonly attribute: string;
  readonly type: string;
  /** What the deletion of the other object meets: a refusal, this object's end too, or nothing. */
  readonly onDelete: 'refuse' | 'cascade' | 'ignore';
  /** Answer when the other object is absent, where AWS does not give the other type's usual one. */
  readonly missing?: (value: string) => AwsError;
}

/** What a resource type may ask of the cloud while it makes, changes or removes an object, all in one turn. */
export interface CloudContext extends Scope {
  find(type: string, id: Value | undefined): CloudObject | undefined;
  /** Objects of a type in this account and region. */
  list(type: string): Iterable<CloudObject>;
  /** Changes attributes of another object, as a side effect. */
  change(object: CloudObject, attributes: Values): void;
  /** A public address nobody else has, in any account. */
  nextPublicAddress(): string;
  /** A loopback address nobody else has, where a load balancer can be reached from this computer. */
  nextLoopbackAddress(): string;
  now(): Date;
}

/** Names of API operations; what no test of a message needs is not told apart. */
export interface Operations {
  readonly create: string;
  readonly read: string;
  readonly update: string;
  readonly delete: string;
}

/** One resource type of the simulated provider. */
export interface ResourceType {
  readonly name: string;
  readonly service: AwsService;
  /** As diagnostics call it: `EC2 Subnet`. */
  readonly label: string;
  readonly operations: Operations;
  readonly block: Block;
  readonly references?: readonly Reference[];
  /** Attributes whose change means a new object for some values alone; both are as planned. */
  readonly replacing?: (planned: Values, prior: Values) => readonly string[];
  /** Computed attributes that come anew when the named attribute changes in place. */
  readonly recomputed?: Readonly<Record<string, readonly string[]>>;
  /** Names the object before it has an id, for diagnostics; empty for types that have no name. */
  readonly nameOf?: (values: Values) => string;
  /** Full attributes of a new object; throws AwsError. Every reference is known to exist. */
  readonly create: (values: Values, context: CloudContext) => Values;
  /** Full attributes after a change in place of what there was `before`; throws AwsError. */
  readonly update?: (values: Values, context: CloudContext, before: Values) => Values;
  /** Side effects of the object's end. */
  readonly removed?: (object: CloudObject, context: CloudContext) => void;
  /** What `terraform import` takes; the id unless said otherwise. */
  readonly importId?: (attributes: Values) => string;
  /** Answer to a call that names an absent object. */
  readonly missing: (id: string) => AwsError;
  /** Answer to a delete while an object of type `dependent` needs this one. */
  readonly inUse?: (id: string, dependent: string) => AwsError;
  /** Further reasons not to delete; throws AwsError. */
  readonly checkRemoval?: (object: CloudObject, context: CloudContext) => void;
  /** Answer to a create beyond the account's limit. */
  readonly limit?: (limit: number) => AwsError;
  /** Problems of the configuration that the provider finds without asking the cloud. */
  readonly validate?: (config: Values) => readonly string[];
}

/** One data source of the simulated provider. */
export interface DataSource {
  readonly name: string;
  readonly block: Block;
  /** Throws CallError. */
  readonly read: (config: Values, scope: Scope) => Values;
}
