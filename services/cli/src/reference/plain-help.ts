import { Help, type Command, type Option } from 'commander';

/** Has the help of a command and of those below it leave out defaults that say nothing, such as `[]`. */
export function usePlainHelp(command: Command): void {
  command.configureHelp({ optionDescription: described });
  for (const each of command.commands) usePlainHelp(each);
}

function described(this: void, option: Option): string {
  return new Help().optionDescription(hasEmptyDefault(option) ? withoutDefault(option) : option);
}

function hasEmptyDefault({ defaultValue, defaultValueDescription }: Option): boolean {
  const value: unknown = defaultValue;
  const isNamed = defaultValueDescription !== undefined;
  return !isNamed && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function withoutDefault(option: Option): Option {
  return Object.create(option, { defaultValue: { value: undefined } }) as Option;
}
