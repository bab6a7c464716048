/** A script without lines that are comments alone: a template has a limit, and they stand in the file beside it. */
export function embedded(script: string): string {
  return script.replaceAll(/^[ \t]*(#(?!!)|\/\/|\/\*\*.*\*\/$).*\n/gm, '');
}
