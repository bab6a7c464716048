import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../program.js';
import { definitionsOf } from './definitions.js';
import { EXAMPLES } from './examples.js';
import { ENVIRONMENT } from './preamble.js';

const [, ...COMMANDS] = definitionsOf(createProgram());
const LINES = Object.entries(EXAMPLES).flatMap(([name, examples]) => examples.map(([line]) => ({ name, line })));

/** Words as a shell gives them to the program; what is behind a pipe or a redirection is none of them. */
function wordsOf(line: string): readonly string[] {
  const [own = ''] = line.replace(/^source <\(crate (.*)\)$/, 'crate $1').split(' > ');
  const words = own.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll(/^['"]|['"]$/g, '').replaceAll('\\', ''));
}

/** A command that only says what it was given. */
function silent(command: Command, ran: string[], path: readonly string[] = []): Command {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  if (command.registeredArguments.length > 0 || command.commands.length === 0)
    command.action(() => void ran.push(path.join(' ')));
  for (const each of command.commands) silent(each, ran, [...path, each.name()]);
  return command;
}

it('says where data lie, also with a release, which has no checkout', () => {
  const options = COMMANDS.flatMap(({ options }) => options.map(({ flags, text }) => `${flags}: ${text}`));
  const said = [...options, ...ENVIRONMENT.map((each) => each.join(': '))].filter((text) =>
    /in the checkout/.test(text),
  );
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((text) => !text.includes('~/.crate'))).toEqual([]);
});

describe('examples', () => {
  it('are there for each command that does something', () => {
    const names = COMMANDS.filter(({ isGroup }) => !isGroup).map(({ name }) => name.replace('crate ', ''));
    expect(names.filter((name) => EXAMPLES[name] === undefined)).toEqual([]);
    expect(Object.keys(EXAMPLES).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(LINES)('can be typed: $line', async ({ name, line }) => {
    const ran: string[] = [];
    const [, ...args] = wordsOf(line);
    await silent(createProgram(), ran).parseAsync(args, { from: 'user' });
    expect(ran).toEqual([name]);
  });

  it('are shown by help', () => {
    let help = '';
    const command = createProgram().commands.find((each) => each.name() === 'wait');
    command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toContain('\nExamples:\n  # until it can be used\n  crate wait cluster/demo');
  });
});
