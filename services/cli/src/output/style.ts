import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

let isPlain = false;

/** `--no-color`. `NO_COLOR`, `FORCE_COLOR` and whether it is a terminal are looked at by Node itself. */
export function useNoColor(): void {
  isPlain = true;
}

/** Text for a stream, in colour where that is wanted. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return isPlain ? text : styleText(style, text, { stream });
}
