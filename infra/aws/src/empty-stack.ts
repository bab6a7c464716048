import './stack/creation-stacks.js';
import { AwsProvider } from '@cdktn/provider-aws/lib/provider/index.js';
import { TerraformStack } from 'cdktn';
import { RootConstruct } from 'constructs';
import { TERRAFORM_VERSIONS } from './stack/cluster-stack.js';
import { canonical } from './synthesize.js';
import { literally } from './templates.js';

/** A Terraform configuration of nothing but the provider: whatever its state holds is destroyed by it. Pure. */
export function emptyAwsStack(input: { readonly region: string; readonly accountId: string }): Record<string, unknown> {
  const stack = new TerraformStack(new RootConstruct(), 'nothing');
  stack.addOverride('terraform.required_version', TERRAFORM_VERSIONS);
  const { region, accountId } = literally(input);
  new AwsProvider(stack, 'aws', { region, allowedAccountIds: [accountId] });
  return canonical(stack.toTerraform()) as Record<string, unknown>;
}
