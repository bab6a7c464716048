import type { MultiBar } from 'cli-progress';

/** Gives the terminal its cursor back, also when the process ends in the middle. Returns what ends bars in order. */
export function stopAtExit(bars: MultiBar): () => void {
  const stop = (): void => {
    // Lines that wait to be written above the bars.
    bars.update();
    bars.stop();
  };
  process.once('exit', stop);
  return () => {
    process.off('exit', stop);
    stop();
  };
}
