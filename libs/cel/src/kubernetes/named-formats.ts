import { Optional, type Environment } from '@marcbachmann/cel-js';
import { FORMAT_NAMES, NamedFormat } from './named-format.js';

/** `format.uuid` is a function of a namespace, which the library knows as a constant. */
class FormatNamespace {}

/** Source: https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library */
export function addNamedFormats(environment: Environment): void {
  const type = 'kubernetes.NamedFormat';
  environment
    .registerType(type, NamedFormat)
    .registerType('FormatNamespace', FormatNamespace)
    .registerConstant('format', 'FormatNamespace', new FormatNamespace())
    .registerOperator(`${type} == ${type}`, (left: NamedFormat, right: NamedFormat) => left.name === right.name)
    .registerFunction(`FormatNamespace.named(string): optional<${type}>`, (_: FormatNamespace, name: string) =>
      Optional.of(NamedFormat.find(name)),
    )
    .registerFunction(`${type}.validate(string): optional<list<string>>`, (format: NamedFormat, text: string) =>
      Optional.of(format.validate(text)),
    );
  for (const name of FORMAT_NAMES) {
    environment.registerFunction(`FormatNamespace.${name}(): ${type}`, () => NamedFormat.find(name));
  }
}
