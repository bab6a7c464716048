/** npm hands on the signal that the terminal already gave us, so two in a row are one wish. */
const SAME_WISH_MS = 1_000;

/** Fires at Ctrl-C or SIGTERM. Asked again later, it ends the process at once; children then stop by themselves. */
export function stopSignal(
  signals: Pick<NodeJS.Process, 'on'> = process,
  exit: (code: number) => void = (code) => process.exit(code),
  now: () => number = () => performance.now(),
): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = (): void => {
    if (controller.signal.aborted) {
      if (now() - firstAt > SAME_WISH_MS) exit(130);
      return;
    }
    firstAt = now();
    controller.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) signals.on(name, stop);
  return controller.signal;
}
