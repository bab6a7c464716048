import type { Argument, Command, Option } from 'commander';

/** Where in a command line somebody is. */
export interface CommandLine {
  readonly command: Command;
  /** Names from the program to the command. */
  readonly path: readonly string[];
  /** What the command was given already. */
  readonly positionals: readonly string[];
  /** Values of options, by attribute; the last counts. */
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value is being written. */
  readonly option?: Option;
  /** What is being written, as far as it is. */
  readonly current: string;
  /** What stands in front of the value in the same word, such as `--output=`. */
  readonly prefix: string;
}

/** Reads words behind the name of the program; the last one is being written. */
export function readCommandLine(program: Command, words: readonly string[]): CommandLine {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const state = new Reading(program);
  for (const word of before) state.take(word);
  const { command, path, positionals, values, pending } = state;
  const known = { command, path, positionals, values };
  if (pending) return { ...known, option: pending, current: last, prefix: '' };
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  const stated = flag === undefined ? undefined : state.find(flag);
  if (stated) return { ...known, option: stated, current: value ?? '', prefix: `${flag}=` };
  return { ...known, current: last, prefix: '' };
}

/** The argument that is being written; undefined behind the last. */
export function argumentAt({ command, positionals }: CommandLine): Argument | undefined {
  const all = command.registeredArguments;
  return all[positionals.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
}

/** Options of the command and of those above it. */
export function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent ? optionsOf(command.parent) : [])].filter(({ hidden }) => !hidden);
}

class Reading {
  path: readonly string[] = [];
  positionals: readonly string[] = [];
  readonly values = new Map<string, string>();
  pending: Option | undefined;

  constructor(public command: Command) {}

  take(word: string): void {
    if (this.pending) return this.setPending(word);
    if (word.startsWith('-') && word !== '-') return this.takeOption(word);
    const below = this.positionals.length === 0 ? this.subcommand(word) : undefined;
    if (!below) {
      this.positionals = [...this.positionals, word];
      return;
    }
    this.command = below;
    this.path = [...this.path, below.name()];
  }

  find(flag: string): Option | undefined {
    return optionsOf(this.command).find(({ long, short }) => flag === long || flag === short);
  }

  private setPending(value: string): void {
    if (this.pending) this.values.set(this.pending.attributeName(), value);
    this.pending = undefined;
  }

  private takeOption(word: string): void {
    const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = this.find(flag);
    if (!option?.required) return;
    if (value === undefined) this.pending = option;
    else this.values.set(option.attributeName(), value);
  }

  private subcommand(word: string): Command | undefined {
    return this.command.commands.find((each) => each.name() === word || each.aliases().includes(word));
  }
}
