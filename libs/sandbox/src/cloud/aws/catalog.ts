import { AVAILABILITY_ZONES, IMAGE } from './data-sources.js';
import type { DataSource, ResourceType } from './resource-type.js';
import { VOLUME } from './types/block-storage.js';
import { INSTANCE, KEY_PAIR } from './types/compute.js';
import { INSTANCE_PROFILE, ROLE, ROLE_POLICY } from './types/iam.js';
import { LISTENER, LOAD_BALANCER, TARGET_GROUP, TARGET_GROUP_ATTACHMENT } from './types/load-balancing.js';
import { ELASTIC_IP, NAT_GATEWAY } from './types/public-addresses.js';
import { ROUTE, ROUTE_TABLE, ROUTE_TABLE_ASSOCIATION } from './types/routing.js';
import { EGRESS_RULE, INGRESS_RULE, SECURITY_GROUP } from './types/security-groups.js';
import { INTERNET_GATEWAY, SUBNET, VPC } from './types/vpc.js';

/** Every resource type of the simulated provider, by its name in Terraform. */
export const RESOURCE_TYPES: ReadonlyMap<string, ResourceType> = byName([
  VPC,
  SUBNET,
  INTERNET_GATEWAY,
  ELASTIC_IP,
  NAT_GATEWAY,
  ROUTE_TABLE,
  ROUTE,
  ROUTE_TABLE_ASSOCIATION,
  SECURITY_GROUP,
  INGRESS_RULE,
  EGRESS_RULE,
  ROLE,
  ROLE_POLICY,
  INSTANCE_PROFILE,
  KEY_PAIR,
  INSTANCE,
  VOLUME,
  LOAD_BALANCER,
  TARGET_GROUP,
  LISTENER,
  TARGET_GROUP_ATTACHMENT,
]);

/** Every data source of the simulated provider, by its name in Terraform. */
export const DATA_SOURCES: ReadonlyMap<string, DataSource> = byName([IMAGE, AVAILABILITY_ZONES]);

function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}
