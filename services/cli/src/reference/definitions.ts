import type { Command, Option } from 'commander';
import { EXAMPLES, type Example } from './examples.js';

/** A command as documentation has it. */
export interface CommandEntry {
  /** Such as `crate clusters create`. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  /** Behind the name: `[options] <cluster>`. */
  readonly usage: string;
  readonly arguments: readonly { readonly term: string; readonly text: string }[];
  readonly options: readonly { readonly flags: string; readonly text: string }[];
  readonly examples: readonly Example[];
  /** Whether it does something by itself, or only has commands below it. */
  readonly isGroup: boolean;
}

/** All commands that people are shown, each before those below it. Pure: nothing of this machine is in it. */
export function definitionsOf(command: Command, parents: readonly string[] = []): readonly CommandEntry[] {
  const path = [...parents, command.name()];
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  return [entryOf(command, path.join(' '), below.length > 0), ...below.flatMap((each) => definitionsOf(each, path))];
}

function entryOf(command: Command, name: string, hasBelow: boolean): CommandEntry {
  const options = command.options.filter(({ hidden }) => !hidden);
  return {
    name,
    aliases: command.aliases(),
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => ({
      term: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      text: [argument.description, choicesText(argument.argChoices)].filter(Boolean).join('; '),
    })),
    options: options.map((option) => ({ flags: option.flags, text: optionText(option) })),
    examples: EXAMPLES[name.slice(name.indexOf(' ') + 1)] ?? [],
    isGroup: hasBelow && command.registeredArguments.length === 0,
  };
}

function optionText(option: Option): string {
  const { description, argChoices, mandatory } = option;
  const parts = [description, choicesText(argChoices), defaultText(option), mandatory ? 'required' : ''];
  return parts.filter((part) => part !== '').join('; ');
}

function choicesText(choices: readonly string[] | undefined): string {
  return choices ? `one of ${choices.join(', ')}` : '';
}

function defaultText({ defaultValue, defaultValueDescription, negate }: Option): string {
  const value: unknown = defaultValueDescription ?? defaultValue;
  const isNothing = value === undefined || value === false || (typeof value === 'object' && isEmpty(value));
  // That of --no-… is what it turns off.
  if (isNothing || negate) return '';
  return `default: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function isEmpty(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0;
}
