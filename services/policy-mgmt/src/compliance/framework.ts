/** A control of a framework, as a rule refers to it. */
export interface ControlReference {
  /** With its version, such as `CIS AWS Foundations 3.0.0`. */
  readonly framework: string;
  /** Such as `5.2`. */
  readonly control: string;
}

/** Frameworks whose names end otherwise than with a version. */
const NAMED = /^(Pod Security Standards (?:Baseline|Restricted)|OWASP [A-Za-z ]+ Top 10(?:[: ]\d{4})?) (.+)$/;
/** Up to the first word that is a version, such as 1.8.0. */
const VERSIONED = /^(\D[^\d]*?\s[vV]?\d+(?:\.\d+)*)\s(.+)$/;
/** The last word, such as AC-6(10) or EC2.1. */
const LAST_WORD = /^(.+?)\s(\S*\d\S*)$/;
const LINK = /^[a-z][a-z0-9+.-]*:\/\//i;

export const OTHER_FRAMEWORK = 'Other references';

/** What a reference of a rule is to: "NIST 800-53 AC-4" is the control AC-4 of NIST 800-53. Undefined for a link. Pure. */
export function controlOf(reference: string): ControlReference | undefined {
  const text = reference.trim();
  if (text === '' || LINK.test(text)) return undefined;
  const [, framework, control] = NAMED.exec(text) ?? VERSIONED.exec(text) ?? LAST_WORD.exec(text) ?? [];
  if (framework === undefined || control === undefined) return { framework: OTHER_FRAMEWORK, control: text };
  return { framework, control };
}
