import type { Value } from '../template/intrinsics.js';
import type { Template } from '../template/template.js';

/** Values of parameters, and of what AWS says itself, such as `AWS::Region`; the others have their defaults. */
export type Chosen = Readonly<Record<string, string | number>>;

/** What has no default. */
const SAID: Chosen = { ManagementNetwork: '203.0.113.0/24' };

/** A resource as CloudFormation would make it, functions resolved; references to resources stand as `<Name>` and `<Name.Attribute>`. */
export interface RenderedResource {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What comes of a template. */
export interface Rendered {
  readonly resources: Readonly<Record<string, RenderedResource>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Attributes that are asked of resources, as `[type, attribute]`. */
  readonly attributes: readonly (readonly [type: string, attribute: string])[];
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::StackName': 'my-stack',
};
const OMITTED = Symbol('AWS::NoValue');
const IN_TEXT = /\$\{([^}!]+)\}/g;

/** Resolves a template as CloudFormation does, as far as this one goes; throws at whatever leads nowhere, also to a resource that is left out. */
export function render(template: Template, chosen: Chosen = {}): Rendered {
  return new Rendering(template, chosen).all();
}

class Rendering {
  private readonly conditions: ReadonlyMap<string, boolean>;
  private readonly attributes: [string, string][] = [];

  constructor(
    private readonly template: Template,
    private readonly chosen: Chosen,
  ) {
    this.conditions = new Map(Object.entries(template.Conditions).map(([name, value]) => [name, this.isTrue(value)]));
  }

  all(): Rendered {
    const kept = Object.entries(this.template.Resources).filter(([name]) => this.isMade(name));
    const resources = kept.map(([name, { Type, Properties = {} }]) => {
      const properties = this.resolved(Properties) as Record<string, unknown>;
      return [name, { type: Type, properties }] as const;
    });
    const outputs = this.resolved(this.template.Outputs) as Record<string, unknown>;
    return { resources: Object.fromEntries(resources), outputs, attributes: this.attributes };
  }

  private isMade(name: string): boolean {
    const resource = this.template.Resources[name];
    if (!resource) return false;
    return resource.Condition === undefined || this.holds(resource.Condition);
  }

  private holds(condition: string): boolean {
    const value = this.conditions.get(condition);
    if (value === undefined) throw new Error(`There is no condition ${condition}`);
    return value;
  }

  private isTrue(value: Value): boolean {
    const [[key, of] = []] = Object.entries(value);
    if (key === 'Fn::Not') return !this.isTrue((of as Value[])[0] ?? '');
    if (key !== 'Fn::Equals') throw new Error(`${key} is no function of conditions`);
    const [one, other] = this.resolved(of as Value) as unknown[];
    return one === other;
  }

  private resolved(value: Value): unknown {
    if (Array.isArray(value)) {
      return value.map((each: Value) => this.resolved(each)).filter((each) => each !== OMITTED);
    }
    if (typeof value !== 'object') return value;
    const entries = Object.entries(value);
    const [first] = entries;
    if (first && entries.length === 1 && (first[0] === 'Ref' || first[0].startsWith('Fn::'))) {
      return this.called(first[0], first[1]);
    }
    return Object.fromEntries(
      entries.map(([key, each]) => [key, this.resolved(each)]).filter(([, each]) => each !== OMITTED),
    );
  }

  private called(name: string, given: Value): unknown {
    switch (name) {
      case 'Ref':
        return this.referred(given as string);
      case 'Fn::GetAtt':
        return this.attribute(given as readonly [string, string]);
      case 'Fn::Sub':
        return (given as string)
          .replaceAll(IN_TEXT, (_all, path: string) => String(this.inText(path)))
          .replaceAll('${!', '${');
      case 'Fn::If': {
        const [condition = '', then = '', otherwise = ''] = given as readonly Value[];
        return this.resolved(this.holds(condition as string) ? then : otherwise);
      }
      case 'Fn::Join': {
        const [separator, parts] = this.resolved(given) as [string, string[]];
        return parts.join(separator);
      }
      case 'Fn::Base64':
        return Buffer.from(this.resolved(given) as string).toString('base64');
      default:
        throw new Error(`${name} is no function of this template`);
    }
  }

  private referred(name: string): unknown {
    if (name === 'AWS::NoValue') return OMITTED;
    const parameter = this.template.Parameters[name];
    if (parameter) return this.chosen[name] ?? parameter.Default ?? SAID[name];
    if (name in PSEUDO) return this.chosen[name] ?? PSEUDO[name];
    if (!this.isMade(name)) throw new Error(`${name} is referred to, and is not there`);
    return `<${name}>`;
  }

  private attribute([name, attribute]: readonly [string, string]): string {
    if (!this.isMade(name)) throw new Error(`${name}.${attribute} is asked for, and ${name} is not there`);
    this.attributes.push([this.template.Resources[name]?.Type ?? '', attribute]);
    return `<${name}.${attribute}>`;
  }

  private inText(path: string): unknown {
    const [name = '', ...attribute] = path.split('.');
    return attribute.length === 0 ? this.referred(path) : this.attribute([name, attribute.join('.')]);
  }
}
