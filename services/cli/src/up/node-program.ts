/** How a program of ours is run. */
export function program(entry: string): { command: string; args: readonly string[]; stopSignal: 'TERM' } {
  return { command: process.execPath, args: ['--enable-source-maps', entry], stopSignal: 'TERM' };
}

/** Whether somebody answers there, and well. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3_000) })).ok;
  } catch {
    return false;
  }
}
