import { celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { aPolicy } from '@crate/policy-engine';
import type { NamedRule } from './shipped-rules.js';

/**
 * Expressions that every implementation of CEL evaluates, each true when a plan is as it should be: like those of the shipped rules, without
 * optional members, which not every implementation has.
 */
export const EXPRESSIONS: readonly string[] = [
  'resources.filter(r, r.type == "aws_ebs_volume").all(r, has(r.values.encrypted) && r.values.encrypted)',
  'resources.filter(r, r.type == "aws_instance").all(r, has(r.values.monitoring) && r.values.monitoring)',
  'resources.filter(r, r.type == "aws_instance").all(r, r.values.root_block_device.all(d, has(d.encrypted) && d.encrypted))',
  'resources.filter(r, r.type == "aws_instance").all(r, r.values.metadata_options.all(o, o.http_tokens == "required"))',
  'resources.filter(r, r.type == "aws_instance").all(r, !has(r.values.instance_type) || r.values.instance_type.matches("^[a-z0-9]+[.][a-z0-9]+$"))',
  'resources.filter(r, has(r.values.tags)).all(r, "crate.dev/managed-by" in r.values.tags && r.values.tags["crate.dev/managed-by"] == "crate")',
  'resources.filter(r, r.type == "aws_subnet").all(r, !has(r.values.map_public_ip_on_launch) || !r.values.map_public_ip_on_launch)',
  'resources.filter(r, r.type == "aws_vpc_security_group_ingress_rule").all(r, !has(r.values.cidr_ipv4) || r.values.cidr_ipv4 != "0.0.0.0/0")',
  'resources.filter(r, r.type in ["aws_lb", "aws_alb", "aws_elb"]).all(r, has(r.values.enable_cross_zone_load_balancing))',
  '!resources.exists(r, r.type == "aws_iam_user" || r.type == "aws_iam_access_key")',
];

/** The same expressions as rules. */
export function equivalentRules(): readonly NamedRule[] {
  return EXPRESSIONS.map((expression, index) => {
    const name = `equivalent-${index}`;
    const match = { stages: ['TerraformPlan' as const] };
    return { name, spec: aPolicy(name, { match, validations: [{ expression }] }).spec };
  });
}

/** An evaluator of one expression by @bufbuild/cel. Throws when it gives anything but true or false. */
export function bufbuildExpression(source: string): (resources: never) => boolean {
  const evaluate = plan(celEnv(), parse(source));
  return (resources) => {
    const result = evaluate({ resources });
    if (isCelError(result)) throw result;
    if (typeof result !== 'boolean') throw new TypeError(`No verdict: ${source}`);
    return result;
  };
}
