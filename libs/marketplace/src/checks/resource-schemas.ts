import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type { Property, PropertyType, Resource, SpecDatabase, TypeDefinition } from '@aws-cdk/service-spec-types';
import type { RenderedResource } from './rendered.js';

/** CloudFormation makes it anything that begins so. */
const CUSTOM = 'AWS::CloudFormation::CustomResource';

/** Holds resources to their schemas, as AWS publishes them and `@aws-cdk/aws-service-spec` carries them. */
export class ResourceSchemas {
  private readonly database: SpecDatabase = loadAwsServiceSpecSync();

  /** What is wrong with a resource, each with its place. */
  complaints(name: string, { type, properties }: RenderedResource): readonly string[] {
    const known = this.find(type);
    if (!known) return [`${name}: ${type} is no type of resource`];
    if (type !== CUSTOM) return this.ofProperties(name, known.properties, properties);
    const { ServiceToken, ServiceTimeout, ...own } = properties;
    const texts = Object.entries(own).flatMap(([key, value]) =>
      wrong(typeof value === 'string', `${name}.${key}`, 'a text'),
    );
    return [...texts, ...this.ofProperties(name, known.properties, { ServiceToken, ServiceTimeout })];
  }

  hasAttribute(type: string, attribute: string): boolean {
    return attribute in (this.find(type)?.attributes ?? {});
  }

  private find(type: string): Resource | undefined {
    return this.database.lookup('resource', 'cloudFormationType', 'equals', type)[0];
  }

  private ofProperties(place: string, known: Readonly<Record<string, Property>>, given: object): readonly string[] {
    const missing = Object.entries(known)
      .filter(([key, { required }]) => required === true && !(key in given))
      .map(([key]) => `${place}.${key} is missing`);
    const found = Object.entries(given).flatMap(([key, value]) => {
      const property = known[key];
      return property ? this.ofType(`${place}.${key}`, property.type, value) : [`${place}.${key} is unknown`];
    });
    return [...missing, ...found];
  }

  private ofType(place: string, type: PropertyType, value: unknown): readonly string[] {
    if (type.type === 'array') return this.ofList(place, type.element, value);
    if (type.type === 'union') {
      const isOne = type.types.some((one) => this.ofType(place, one, value).length === 0);
      return wrong(isOne, place, 'of one of its types');
    }
    if (type.type === 'string') return ofText(place, type.allowedValues, value);
    const scalar = SCALARS[type.type];
    if (scalar !== undefined) return wrong(typeof value === scalar, place, `a ${scalar}`);
    return this.ofObject(place, type, value);
  }

  private ofList(place: string, element: PropertyType, value: unknown): readonly string[] {
    if (!Array.isArray(value)) return [`${place} must be a list`];
    return value.flatMap((each, index) => this.ofType(`${place}[${index}]`, element, each));
  }

  private ofObject(place: string, type: PropertyType, value: unknown): readonly string[] {
    if (typeof value !== 'object' || value === null) return [`${place} must be an object`];
    if (type.type === 'json') return [];
    if (type.type === 'tag') return this.ofProperties(place, TAG, value);
    if (type.type === 'ref') return this.ofProperties(place, this.definition(type.reference.$ref).properties, value);
    if (type.type !== 'map') return [`${place} cannot be judged: ${type.type}`];
    return Object.entries(value).flatMap(([key, each]) => this.ofType(`${place}.${key}`, type.element, each));
  }

  private definition(reference: string): TypeDefinition {
    return this.database.get('typeDefinition', reference);
  }
}

const TAG: Readonly<Record<string, Property>> = {
  Key: { type: { type: 'string' }, required: true },
  Value: { type: { type: 'string' }, required: true },
};

const SCALARS: Readonly<Record<string, string>> = { integer: 'number', number: 'number', boolean: 'boolean' };

/** CloudFormation writes numbers as texts where it wants texts. */
function ofText(place: string, allowed: readonly string[] | undefined, value: unknown): readonly string[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [`${place} must be a text`];
  return wrong(allowed?.includes(String(value)) ?? true, place, `one of ${allowed?.join()}`);
}

function wrong(isRight: boolean, place: string, what: string): readonly string[] {
  return isRight ? [] : [`${place} must be ${what}`];
}
