/** What stands in a template: a text, a number, a list, or a map, such as a function. */
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

/** Makes CloudFormation leave a property out. */
export const NO_VALUE: Value = { Ref: 'AWS::NoValue' };

/** The value of a parameter, or what identifies a resource. */
export function ref(name: string): Value {
  return { Ref: name };
}

/** An attribute of a resource. */
export function attribute(resource: string, name: string): Value {
  return { 'Fn::GetAtt': [resource, name] };
}

/** A text with `${Name}` and `${Resource.Attribute}` filled in. */
export function sub(text: string): Value {
  return { 'Fn::Sub': text };
}

/** One of two values, by a condition of the template. */
export function when(condition: string, then: Value, otherwise: Value = NO_VALUE): Value {
  return { 'Fn::If': [condition, then, otherwise] };
}

/** Whether a parameter has this text. */
export function equals(parameter: string, text: string): Value {
  return { 'Fn::Equals': [ref(parameter), text] };
}

/** The contrary of a condition. */
export function not(condition: Value): Value {
  return { 'Fn::Not': [condition] };
}
