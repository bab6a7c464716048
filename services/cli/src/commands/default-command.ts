import type { Command } from 'commander';

/** Adds what a group does where nothing else is said. It takes no arguments: any other word is told as the unknown command that it is. */
export function addDefault(group: Command, command: Command): Command {
  return group.addCommand(command, { isDefault: true }).hook('preSubcommand', (_group, called) => {
    const [word] = group.args;
    const known = group.commands.flatMap((each) => [each.name(), ...each.aliases()]);
    if (called !== command || word === undefined || word.startsWith('-') || known.includes(word)) return;
    group.error(`error: unknown command '${word}'\n(there are: ${known.join(', ')})`, {
      code: 'commander.unknownCommand',
    });
  });
}
