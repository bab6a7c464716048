import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';

const LOCK = new URL('../../dist/lock/only-one.js', import.meta.url).href;
/** Tries a directory when it is told one; who gets in stays there until told that the round is over. */
const CONTEND = `
import { onlyOne } from ${JSON.stringify(LOCK)};
const stay = () => new Promise((resolve) => process.once('message', resolve));
const tell = (answer) => new Promise((resolve) => process.send(answer, resolve));
for (;;) {
  const [path] = await new Promise((resolve) => process.once('message', (...given) => resolve(given)));
  let isOver;
  const work = () => { isOver = stay(); return tell('alone').then(() => isOver); };
  await onlyOne(path, work).catch((error) => { isOver = stay(); return tell(error.details?.reason ?? String(error)).then(() => isOver); });
  await tell('over');
}`;

/** Processes that all want to be alone at the same time. */
export class Contenders {
  private constructor(private readonly processes: readonly ChildProcess[]) {}

  static start(count: number): Contenders {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    const one = (): ChildProcess =>
      spawn(process.execPath, ['--input-type=module', '-e', CONTEND], { stdio: [...stdio] });
    return new Contenders(Array.from({ length: count }, one));
  }

  /** What each of them was told: `alone`, or the reason that kept it out. */
  async contend(path: string): Promise<readonly string[]> {
    const told = await this.tell(path);
    await this.tell('over');
    return told;
  }

  end(): void {
    for (const each of this.processes) each.kill('SIGKILL');
  }

  private async tell(message: string): Promise<readonly string[]> {
    return Promise.all(
      this.processes.map(async (each) => {
        const answer = once(each, 'message');
        each.send(message);
        return String((await answer)[0]);
      }),
    );
  }
}
