import { badRequest } from '@crate/errors';
import type { AwsCloud } from '../aws-cloud.js';
import { RESOURCE_TYPES } from '../aws/catalog.js';
import type { CloudObject, Scope } from '../aws/resource-type.js';
import { planChange } from '../terraform/plan.js';
import { conform } from '../terraform/schema.js';
import { withoutUnknown, type Values } from '../terraform/value.js';

/** Makes and removes objects of the simulated cloud as those who do not use Terraform. */
export class CloudCalls {
  constructor(private readonly cloud: AwsCloud) {}

  /** Attributes of the new object. Throws CallError for what AWS refuses, and BadRequest for an unknown type. */
  async create(scope: Scope, name: string, config: Values): Promise<Values> {
    const type = RESOURCE_TYPES.get(name);
    if (!type) throw badRequest(`The simulated cloud has no objects of type ${name}`);
    const full = conform(type.block, config);
    const { planned } = planChange(type.block, { config: full, prior: null, proposed: full });
    const values = withoutUnknown(planned) as Values;
    // Without tags of its own it has none: those of the network that it is in are not its.
    const tags = 'tags' in type.block.attributes ? { tags_all: config['tags'] ?? {} } : {};
    return this.cloud.create({ scope, type }, { ...values, ...tags });
  }

  /** Resolves once it is gone. Throws CallError. */
  async remove({ account, region, type: name, id }: CloudObject): Promise<void> {
    const type = RESOURCE_TYPES.get(name);
    if (type) await this.cloud.delete({ scope: { account, region }, type }, id);
  }
}
