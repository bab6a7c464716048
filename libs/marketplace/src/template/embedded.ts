/**
 * A script without lines that are empty or comments alone, and with half of its indentation: a template has a limit, and all of it stands in the file
 * beside it. No text of more than one line may be in it.
 */
export function embedded(script: string): string {
  return script
    .replaceAll(/^[ \t]*((#(?!!)|\/\/|\/\*\*.*\*\/$).*)?\n/gm, '')
    .replaceAll(/^(?: {2})+/gm, (spaces) => ' '.repeat(spaces.length / 2));
}
