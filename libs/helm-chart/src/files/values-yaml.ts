import { stringify } from 'yaml';
import { valuesModel, type ValueSchema } from './values-schema.js';

const HEAD = [
  '# Values of the chart crate. Generated from libs/helm-chart/src/values: change them there.',
  '# values.schema.json refuses what is not here. README.md has the same as a table.',
  '',
];
const WIDTH = 110;

/** values.yaml: every value with its default, and above it what it means. */
export function valuesYaml(): string {
  return `${[...HEAD, ...block(valuesModel(), '')].join('\n')}\n`;
}

function block(schema: ValueSchema, indent: string): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, value], index) => [
    ...(indent === '' && index > 0 && value.properties ? [''] : []),
    ...comment(value.description, indent),
    ...entry(key, value, indent),
  ]);
  return [...own, ...(schema.chartDefaults ? indented(schema.chartDefaults, indent) : [])];
}

function entry(key: string, schema: ValueSchema, indent: string): readonly string[] {
  if (schema.properties) return [`${indent}${key}:`, ...block(schema, `${indent}  `)];
  return indented({ [key]: schema.default }, indent);
}

function indented(value: Readonly<Record<string, unknown>>, indent: string): readonly string[] {
  const text = stringify(value, { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false }).trimEnd();
  return text.split('\n').map((line) => `${indent}${line}`);
}

function comment(text: string | undefined, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text?.split(' ') ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length + 1 > WIDTH - indent.length) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${indent}# ${line}`);
}
