import type { Command } from 'commander';
import { clientVersion } from '../config.js';
import { writeOut } from '../output/out-file.js';
import { cliMan } from '../reference/cli-man.js';
import { cliMarkdown } from '../reference/cli-markdown.js';
import { definitionsOf } from '../reference/definitions.js';

export async function runDocs(format: string, { out }: { readonly out?: string }, command: Command): Promise<void> {
  const entries = definitionsOf(command.parent ?? command);
  const text = format === 'man' ? cliMan(entries, clientVersion()) : cliMarkdown(entries);
  if (out === undefined) process.stdout.write(text);
  else await writeOut(out, text);
}
