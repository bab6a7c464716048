import { writeFile } from 'node:fs/promises';
import { Argument, Command } from 'commander';
import { clientVersion } from '../config.js';
import { cliMan } from '../reference/cli-man.js';
import { cliMarkdown } from '../reference/cli-markdown.js';
import { definitionsOf } from '../reference/definitions.js';

/** `crate docs`: the reference of the command line itself, for those who build it. */
export function docsCommand(): Command {
  return new Command('docs')
    .description('Print the reference of the command line, from the definitions of its commands')
    .addArgument(new Argument('<format>', 'what to make').choices(['markdown', 'man']))
    .option('-O, --out <file>', 'write to a file')
    .action(async (format: string, { out }: { readonly out?: string }, command: Command) => {
      const entries = definitionsOf(command.parent ?? command);
      const text = format === 'man' ? cliMan(entries, clientVersion()) : cliMarkdown(entries);
      if (out === undefined) process.stdout.write(text);
      else await writeFile(out, text);
    });
}
