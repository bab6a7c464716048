/** One statement of an IAM policy. Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_statement.html */
export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** A policy document as IAM takes it. */
export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** A document of those statements that have an action. */
export function policyOf(statements: readonly PolicyStatement[]): PolicyDocument {
  return { Version: '2012-10-17', Statement: statements.filter(({ Action }) => Action.length > 0) };
}

/** Each once, in order: equal input gives an equal document. */
export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
