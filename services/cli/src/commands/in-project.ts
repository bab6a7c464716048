import type { Command } from 'commander';
import type { ApiOptions, NamespaceOption } from './api-options.js';
import { lazily } from './lazily.js';

/**
 * As `lazily`, for commands whose objects lie in a Project: the one that the command line does not name is that of the context. The
 * command comes last among the arguments of an action, and its options are those that the action gets.
 */
export function inProject<A extends readonly unknown[]>(
  load: () => Promise<(...args: A) => Promise<void> | void>,
): (...args: A) => Promise<void> {
  const run = lazily(load);
  return async (...args) => {
    const command = args.at(-1) as Command;
    const options = command.optsWithGlobals<ApiOptions & NamespaceOption>();
    if (options.namespace === undefined) {
      const { contextOf } = await import('../client/context.js');
      command.setOptionValue('namespace', (await contextOf(options)).namespace);
    }
    await run(...args);
  };
}
