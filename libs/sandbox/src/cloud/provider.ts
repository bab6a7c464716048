import { randomUUID } from 'node:crypto';
import { AwsError, callError, CallError } from './aws/aws-error.js';
import { DATA_SOURCES, RESOURCE_TYPES } from './aws/catalog.js';
import { isRegion } from './aws/regions.js';
import type { ResourceType, Scope } from './aws/resource-type.js';
import { text, texts } from './aws/values.js';
import type { AwsCloud } from './aws-cloud.js';
import { rejectedCredentials, type Faults } from './faults.js';
import type { CloudCall } from './round-trip.js';
import { planChange } from './terraform/plan.js';
import { conform, optional, wireSchema, type Block } from './terraform/schema.js';
import {
  decodeValue,
  encodeValue,
  isKnown,
  isObject,
  UNKNOWN,
  withoutUnknown,
  type DynamicValue,
  type Value,
  type Values,
} from './terraform/value.js';
import { errorDiagnostic, type ProviderCalls, type Requests, type Responses } from './terraform/wire.js';

const PROVIDER: Block = {
  attributes: {
    access_key: optional('string'),
    allowed_account_ids: optional(['set', 'string']),
    region: optional('string'),
    secret_key: optional('string'),
  },
};

export interface ProviderOptions {
  readonly cloud: AwsCloud;
  readonly faults: Faults;
  /** Where calls go; the configuration may name another region. */
  readonly scope: Scope;
}

/** The simulated `hashicorp/aws` provider: Terraform's questions on one side, the simulated cloud on the other. */
export class AwsProvider implements ProviderCalls {
  private scope: Scope;

  constructor(private readonly options: ProviderOptions) {
    this.scope = options.scope;
  }

  readonly GetProviderSchema = (): Responses['GetProviderSchema'] => ({
    provider: wireSchema(PROVIDER),
    resource_schemas: mapValues(RESOURCE_TYPES, ({ block }) => wireSchema(block)),
    data_source_schemas: mapValues(DATA_SOURCES, ({ block }) => wireSchema(block)),
  });

  readonly ValidateProviderConfig = (): Responses['ValidateProviderConfig'] => ({});

  readonly ValidateResourceConfig = (
    request: Requests['ValidateResourceConfig'],
  ): Responses['ValidateResourceConfig'] => {
    const problems = typeOf(request.type_name).validate?.(objectOf(request.config)) ?? [];
    return { diagnostics: problems.map((problem) => errorDiagnostic(problem)) };
  };

  readonly ValidateDataResourceConfig = (): Responses['ValidateDataResourceConfig'] => ({});

  readonly ConfigureProvider = (request: Requests['ConfigureProvider']): Responses['ConfigureProvider'] => {
    const config = objectOf(request.config);
    const region = text(config, 'region') || this.options.scope.region;
    if (!isRegion(region)) throw new CallError(`invalid AWS Region: ${region}`);
    this.scope = { ...this.options.scope, region };
    this.checkIdentity(texts(config, 'allowed_account_ids'));
    return {};
  };

  readonly UpgradeResourceState = (request: Requests['UpgradeResourceState']): Responses['UpgradeResourceState'] => {
    const { block } = typeOf(request.type_name);
    const state = JSON.parse(Buffer.from(request.raw_state.json).toString('utf8')) as Value;
    return { upgraded_state: encodeValue(isObject(state) ? conform(block, state) : null) };
  };

  readonly ReadResource = async (request: Requests['ReadResource']): Promise<Responses['ReadResource']> => {
    const type = typeOf(request.type_name);
    const state = objectOf(request.current_state);
    const found = await this.options.cloud.read({ scope: this.scope, type }, text(state, 'id'));
    return { new_state: encodeValue(found ? conform(type.block, found) : null), private: request.private };
  };

  readonly PlanResourceChange = (request: Requests['PlanResourceChange']): Responses['PlanResourceChange'] => {
    const proposed = decodeValue(request.proposed_new_state);
    // A plan to destroy has nothing to add to.
    if (!isObject(proposed)) return { planned_state: request.proposed_new_state };
    const type = typeOf(request.type_name);
    const prior = decodeValue(request.prior_state);
    const { planned, replacements } = planChange(type.block, {
      config: objectOf(request.config),
      prior: isObject(prior) ? prior : null,
      proposed,
      ...(type.recomputed === undefined ? {} : { recomputed: type.recomputed }),
    });
    const more = isObject(prior) ? (type.replacing?.(planned, prior) ?? []) : [];
    return {
      planned_state: encodeValue(this.withDerived(type.block, planned)),
      planned_private: request.prior_private,
      requires_replace: [...replacements, ...more.map((name) => [{ attribute_name: name }])].map((steps) => ({
        steps,
      })),
    };
  };

  readonly ApplyResourceChange = async (
    request: Requests['ApplyResourceChange'],
    signal: AbortSignal,
  ): Promise<Responses['ApplyResourceChange']> => {
    const prior = decodeValue(request.prior_state);
    try {
      const call = { scope: this.scope, type: typeOf(request.type_name), signal };
      const state = await this.apply(call, prior, decodeValue(request.planned_state));
      return { new_state: encodeValue(state), private: request.planned_private };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      // What the state said before still holds, as far as the provider can tell.
      return { new_state: encodeValue(prior), diagnostics: [errorDiagnostic(error.message)] };
    }
  };

  readonly ImportResourceState = (request: Requests['ImportResourceState']): Responses['ImportResourceState'] => {
    const type = typeOf(request.type_name);
    const found = this.options.cloud.findByImportId(this.scope, type, request.id);
    // Terraform reads the object next, and finds out there that it does not exist.
    const state = conform(type.block, found?.attributes ?? { id: request.id });
    return { imported_resources: [{ type_name: type.name, state: encodeValue(state) }] };
  };

  readonly ReadDataSource = (request: Requests['ReadDataSource']): Responses['ReadDataSource'] => {
    const source = DATA_SOURCES.get(request.type_name);
    if (!source) throw new Error(`Unknown data source ${request.type_name}`);
    const config = objectOf(request.config);
    const found = source.read(config, this.scope);
    const region = { region: this.scope.region };
    return { state: encodeValue(conform(source.block, { ...region, ...found, ...withoutNulls(config) })) };
  };

  readonly StopProvider = (): Responses['StopProvider'] => ({});

  private async apply(call: CloudCall, prior: Value, planned: Value): Promise<Value> {
    const { cloud } = this.options;
    if (!isObject(planned)) {
      if (isObject(prior)) await cloud.delete(call, text(prior, 'id'));
      return null;
    }
    const values = withoutUnknown(planned) as Values;
    const attributes = isObject(prior)
      ? await cloud.update(call, text(prior, 'id'), values)
      : await cloud.create(call, values);
    return conform(call.type.block, attributes);
  }

  /** What the real provider knows when it plans, because it follows from its own configuration. */
  private withDerived(block: Block, planned: Values): Values {
    const derived: Record<string, Value> = { ...planned };
    if (block.attributes['region'] && !isKnown(planned['region'])) derived['region'] = this.scope.region;
    if (block.attributes['tags_all']) derived['tags_all'] = allTags(planned['tags']);
    const disks = planned['root_block_device'];
    if (Array.isArray(disks)) {
      derived['root_block_device'] = (disks as Value[]).map((disk) =>
        isObject(disk) ? { ...disk, tags_all: allTags(disk['tags']) } : disk,
      );
    }
    return derived;
  }

  private checkIdentity(allowedAccounts: readonly string[]): void {
    const { account } = this.scope;
    if (this.options.faults.hit('credentials', this.scope)) {
      throw callError(
        {
          doing: 'Retrieving AWS account details: validating provider credentials: retrieving caller identity from STS',
          service: 'STS',
          operation: 'GetCallerIdentity',
          requestId: randomUUID(),
        },
        rejectedCredentials('STS'),
      );
    }
    if (allowedAccounts.length === 0 || allowedAccounts.includes(account)) return;
    throw new CallError(`AWS account ID not allowed: ${account}`);
  }
}

function typeOf(name: string): ResourceType {
  const type = RESOURCE_TYPES.get(name);
  if (!type) throw new AwsError('UnknownType', `Unknown resource type ${name}`);
  return type;
}

function objectOf(value: DynamicValue): Values {
  const decoded = decodeValue(value);
  return isObject(decoded) ? decoded : {};
}

function allTags(tags: Value | undefined): Value {
  if (tags === undefined || tags === null) return {};
  return isKnown(tags) ? tags : UNKNOWN;
}

function withoutNulls(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function mapValues<T, R>(items: ReadonlyMap<string, T>, change: (item: T) => R): Record<string, R> {
  return Object.fromEntries([...items].map(([name, item]) => [name, change(item)]));
}
