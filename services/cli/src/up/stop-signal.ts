import { CODES_OF_SIGNALS } from '../exit-codes.js';
import { Interrupted, STOP_SIGNALS, type StopSignal } from '../interruption.js';

/** npm hands on the signal that the terminal already gave us, so two in a row are one wish. */
const SAME_WISH_MS = 1_000;

/**
 * Fires at Ctrl-C or another signal to stop; its reason is Interrupted, which says which. Asked again later, it ends the process at once;
 * children then stop by themselves.
 */
export function stopSignal(
  signals: Pick<NodeJS.Process, 'on'> = process,
  exit: (code: number) => void = (code) => process.exit(code),
  now: () => number = () => performance.now(),
): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = (by: StopSignal): void => {
    if (controller.signal.aborted) {
      if (now() - firstAt > SAME_WISH_MS) exit(CODES_OF_SIGNALS[by]);
      return;
    }
    firstAt = now();
    controller.abort(new Interrupted('Stopped', { by }));
  };
  for (const name of STOP_SIGNALS) signals.on(name, () => stop(name));
  return controller.signal;
}
