import type { MultiBar } from 'cli-progress';

/** Gives the terminal its cursor back, also when the process ends in the middle. Returns what ends bars in order. */
export function stopAtExit(bars: MultiBar): () => void {
  const stop = (): void => bars.stop();
  process.once('exit', stop);
  return () => {
    process.off('exit', stop);
    stop();
  };
}
