import type { Command } from 'commander';
import { argumentAt, optionsOf, readCommandLine, type CommandLine } from './command-line.js';

/** Something that can be written, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What can be written at a place. */
export interface Candidates {
  readonly all: readonly Candidate[];
  /** Names of files as well. */
  readonly files: boolean;
}

/** What only the platform knows. Never throws: what cannot be told is not offered. */
export interface Names {
  kinds(line: CommandLine): Promise<readonly Candidate[]>;
  /** Objects of a kind, by one of its names. */
  objects(line: CommandLine, type: string): Promise<readonly Candidate[]>;
  contexts(line: CommandLine): Promise<readonly Candidate[]>;
}

/** What values of options are called that are names of files. */
const FILE = /[<[](files?|dir|paths?|kubeconfig)(\.\.\.)?[\]>]/;
const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath='];
const AWAITED = ['condition=Ready', 'delete', 'create', 'jsonpath='];

/** Options whose values are names of objects; by attribute. */
const OBJECTS: Readonly<Record<string, string>> = {
  namespace: 'projects',
  project: 'projects',
  class: 'clusterclasses',
  account: 'cloudaccounts',
};

/** Arguments that are names of objects; by the path of the command, or by the name of the argument. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'plan show': 'plans',
  'plan approve': 'plans',
  'plan reject': 'plans',
  'policy waiver': 'policywaivers',
  sweep: 'cloudaccounts',
  state: 'clusters',
  cluster: 'clusters',
  object: 'clusters',
};

/** What can be written at the end of these words. */
export async function candidatesFor(program: Command, words: readonly string[], names: Names): Promise<Candidates> {
  const line = readCommandLine(program, words);
  const found = line.option ? await valuesOf(line, names) : await wordsOf(line, names);
  const all = found.all
    .filter(({ value }) => value.startsWith(line.current))
    .map((each) => ({ ...each, value: `${line.prefix}${each.value}` }));
  return { all, files: found.files };
}

async function valuesOf(line: CommandLine, names: Names): Promise<Candidates> {
  const { option } = line;
  const name = option?.attributeName() ?? '';
  if (option?.argChoices) return only(option.argChoices.map((value) => ({ value })));
  if (name === 'context') return only(await names.contexts(line));
  if (name === 'output' && line.command.options.some((each) => each === option)) return only(values(FORMATS));
  if (name === 'for') return only(values(AWAITED));
  const type = OBJECTS[name];
  if (type !== undefined) return only(await names.objects(line, type));
  return { all: [], files: FILE.test(option?.flags ?? '') };
}

async function wordsOf(line: CommandLine, names: Names): Promise<Candidates> {
  const { command, current, positionals } = line;
  if (current.startsWith('-')) return only(optionsAt(line));
  const below = positionals.length === 0 ? visible(command) : [];
  const argument = argumentAt(line);
  const given = argument === undefined ? only([]) : await argumentsOf(line, argument.name(), names);
  return { all: [...below, ...given.all], files: given.files };
}

async function argumentsOf(line: CommandLine, argument: string, names: Names): Promise<Candidates> {
  if (argument === 'what') return only(await whatOf(line, names));
  if (['paths', 'files', 'file', 'path'].includes(argument)) return { all: [], files: true };
  const choices = argumentAt(line)?.argChoices;
  if (choices) return only(values(choices));
  const path = line.path.join(' ');
  const place = Object.keys(ARGUMENTS).find((key) => path === key || path.startsWith(`${key} `)) ?? argument;
  const type = line.positionals.length === 0 ? (ARGUMENTS[argument] ?? ARGUMENTS[place]) : undefined;
  return only(type === undefined ? [] : await names.objects(line, type));
}

/** `TYPE`, `TYPE NAME`, `TYPE/NAME`. */
async function whatOf(line: CommandLine, names: Names): Promise<readonly Candidate[]> {
  const { current, positionals } = line;
  const [, type] = /^([^/]+)\//.exec(current) ?? [];
  if (type !== undefined) return prefixed(`${type}/`, await names.objects(line, type));
  const [first] = positionals;
  if (first === undefined) return names.kinds(line);
  if (first.includes('/')) return [];
  const found = await names.objects(line, first);
  return found.filter(({ value }) => !positionals.includes(value));
}

function prefixed(prefix: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.map((each) => ({ ...each, value: `${prefix}${each.value}` }));
}

function visible(command: Command): readonly Candidate[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.map((each) => ({ value: each.name(), description: each.description() }));
}

function optionsAt({ command, current }: CommandLine): readonly Candidate[] {
  const isLong = current.startsWith('--') || current === '-';
  const shown = [...optionsOf(command), ...command.createHelp().visibleOptions(command)];
  const flags = new Map(shown.map((each) => [(isLong ? each.long : each.short) ?? each.long ?? '', each.description]));
  return [...flags].map(([value, description]) => ({ value, description }));
}

function values(texts: readonly string[]): readonly Candidate[] {
  return texts.map((value) => ({ value }));
}

function only(all: readonly Candidate[]): Candidates {
  return { all, files: false };
}
