/** Commands of a tutorial, and what it says that they print. */
export interface Step {
  /** Line of the page at which the commands begin. */
  readonly line: number;
  readonly commands: string;
  /** Exit code of the last command. */
  readonly exitCode: number;
  /** What is printed, with `…` for what varies; undefined where the page does not say. */
  readonly prints: string | undefined;
}

/** A fenced block of a page. */
interface Block {
  readonly line: number;
  readonly info: string;
  readonly text: string;
}

const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;
const EXIT = /^sh exit=(\d+)$/;

/**
 * The steps of a page: every block of `sh`, with the block of `text` that follows it before the next one. A command that is
 * meant to fail says so behind the language, as `sh exit=4`. Throws for other words there, which nobody would look at.
 */
export function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(FENCE)].map(({ 1: info = '', 2: text = '', index }): Block => {
    return { info, text, line: page.slice(0, index).split('\n').length + 1 };
  });
  return blocks.flatMap((block, index) => {
    if (!/^(sh|bash|shell|console)\b/.test(block.info)) return [];
    const next = blocks[index + 1];
    const prints = next?.info === 'text' ? next.text : undefined;
    return [{ line: block.line, commands: block.text, exitCode: exitCodeOf(block), prints }];
  });
}

function exitCodeOf({ info, line }: Block): number {
  if (info === 'sh') return 0;
  const code = EXIT.exec(info)?.[1];
  if (code === undefined)
    throw new Error(`line ${line}: a block of commands is "sh" or "sh exit=N", and not "${info}"`);
  return Number(code);
}
