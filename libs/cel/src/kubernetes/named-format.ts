import { Url } from './url.js';

/** What is wrong with a text; empty when nothing is. */
type Check = (text: string) => readonly string[];

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?';

const dns1123Label = shape(
  LABEL,
  63,
  "must consist of lower case letters, digits and '-', and begin and end with a letter or digit, such as 'my-name'",
);
const dns1123Subdomain = shape(
  `${LABEL}(?:\\.${LABEL})*`,
  253,
  "must consist of lower case letters, digits, '-' and '.', every part beginning and ending with a letter or digit, such as 'example.com'",
);
const dns1035Label = shape(
  '[a-z](?:[-a-z0-9]*[a-z0-9])?',
  63,
  "must consist of lower case letters, digits and '-', begin with a letter and end with a letter or digit, such as 'my-name'",
);
const name = shape(
  NAME,
  63,
  "must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit, such as 'my.name'",
);
const labelValue = shape(
  `(?:${NAME})?`,
  63,
  "must be empty, or consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit, such as 'my_value'",
);

/** Kubernetes' formats by name. Source: https://pkg.go.dev/k8s.io/apiserver/pkg/cel/library#Format */
const FORMATS: Readonly<Record<string, Check>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  qualifiedName,
  dns1123LabelPrefix: asPrefix(dns1123Label),
  dns1123SubdomainPrefix: asPrefix(dns1123Subdomain),
  dns1035LabelPrefix: asPrefix(dns1035Label),
  labelValue,
  uri: requires(
    (text) => Url.find(text) !== undefined,
    "must be a URL such as 'https://example.com/', or an absolute path",
  ),
  uuid: requires(isUuid, "must be a UUID, such as '123e4567-e89b-12d3-a456-426614174000'"),
  byte: requires(isBase64, "must be base64 with padding, such as 'aGVsbG8='"),
  date: requires(isDate, "must be a date, such as '2021-01-31'"),
  datetime: requires(isDateTime, "must be a time of RFC 3339, such as '2021-01-31T00:00:00Z'"),
};

export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/** A form of text that Kubernetes has a name for. */
export class NamedFormat {
  private constructor(
    readonly name: string,
    private readonly check: Check,
  ) {}

  static find(name: string): NamedFormat | undefined {
    const check = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    return check && new NamedFormat(name, check);
  }

  /** What is wrong with the text, in words of our own; undefined when nothing is. */
  validate(text: string): readonly string[] | undefined {
    const mistakes = this.check(text);
    return mistakes.length > 0 ? mistakes : undefined;
  }

  toString(): string {
    return this.name;
  }
}

function shape(pattern: string, maximum: number, wanted: string): Check {
  const regex = new RegExp(`^(?:${pattern})$`);
  return (text) => [
    ...(text.length > maximum ? [`must have at most ${maximum} characters`] : []),
    ...(regex.test(text) ? [] : [wanted]),
  ];
}

function requires(isRight: (text: string) => boolean, wanted: string): Check {
  return (text) => (isRight(text) ? [] : [wanted]);
}

/** What names begin with that are made from it may end in a dash; the character before counts with it, as in Kubernetes. */
function asPrefix(check: Check): Check {
  return (text) => check(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}

function qualifiedName(text: string): readonly string[] {
  const [last = '', prefix, ...more] = text.split('/').reverse();
  if (more.length > 0) return ["must be a name with at most one '/' after a subdomain, such as 'example.com/my.name'"];
  const mistakes = prefix === undefined ? [] : dns1123Subdomain(prefix).map((mistake) => `prefix ${mistake}`);
  return [...mistakes, ...name(last).map((mistake) => `name ${mistake}`)];
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}

/** Not the empty text, as in Kubernetes. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text); // The 30th of February is one of March.
}

function isDateTime(text: string): boolean {
  const [, date = ''] = /^([-\d]+)T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  return isDate(date);
}
