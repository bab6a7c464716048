import type { PlannedResource } from './planned-resources.js';

/** What a security group lets in, the same whichever of three resource types says so. */
export interface IngressRule {
  readonly address: string;
  readonly fromPort: number;
  readonly toPort: number;
  /** IPv4 and IPv6 blocks; empty when other security groups or prefix lists are let in. */
  readonly cidrs: readonly string[];
  /** True when blocks or ports are known only after apply. */
  readonly isUnknown: boolean;
}

type Values = Readonly<Record<string, unknown>>;

const LAST_PORT = 65_535;
const DECIDING = ['cidr_ipv4', 'cidr_ipv6', 'cidr_blocks', 'ipv6_cidr_blocks', 'from_port', 'to_port', 'ingress'];

/** Every ingress rule of a plan. */
export function ingressRules(resources: readonly PlannedResource[]): readonly IngressRule[] {
  return resources.flatMap((resource) => {
    const { type, values } = resource;
    if (type === 'aws_vpc_security_group_ingress_rule') return [rule(resource, values)];
    if (type === 'aws_security_group_rule' && values['type'] !== 'egress') return [rule(resource, values)];
    if (type !== 'aws_security_group' && type !== 'aws_default_security_group') return [];
    const inline = list(values['ingress']).map((block) => rule(resource, block as Values));
    // A group that states no `ingress` leaves it to AWS, which the plan shows as a whole value that is not known: it lets in nobody by itself.
    return inline.length === 0 && isStated(resource) && isUnknown(resource) ? [rule(resource, {})] : inline;
  });
}

function rule(resource: PlannedResource, values: Values): IngressRule {
  const isEveryPort = ['-1', 'all'].includes(String(values['protocol'] ?? values['ip_protocol']));
  const blocks = [...list(values['cidr_blocks']), ...list(values['ipv6_cidr_blocks'])];
  const singles = [values['cidr_ipv4'], values['cidr_ipv6']].filter((cidr) => typeof cidr === 'string');
  return {
    address: resource.address,
    fromPort: isEveryPort ? 0 : number(values['from_port'], 0),
    toPort: isEveryPort ? LAST_PORT : number(values['to_port'], LAST_PORT),
    cidrs: [...blocks, ...singles] as string[],
    isUnknown: isUnknown(resource),
  };
}

function isStated({ stated }: PlannedResource): boolean {
  return stated.includes('ingress');
}

/** `after_unknown` is true for a whole value, or has the value's shape with true somewhere inside. */
function isUnknown({ unknown }: PlannedResource): boolean {
  return DECIDING.some((name) => JSON.stringify(unknown[name] ?? null).includes('true'));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
