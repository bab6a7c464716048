/** The shortest of the notices whose time has come; undefined: none has, or the end itself has. */
export function noticeDue(expiresAtMs: number, noticesMs: readonly number[], nowMs: number): number | undefined {
  const leftMs = expiresAtMs - nowMs;
  const due = noticesMs.filter((noticeMs) => leftMs > 0 && leftMs <= noticeMs);
  return due.length > 0 ? Math.min(...due) : undefined;
}

/** How long until the next notice, or the end; undefined once that was. */
export function nextMomentMs(expiresAtMs: number, noticesMs: readonly number[], nowMs: number): number | undefined {
  const moments = [...noticesMs.map((noticeMs) => expiresAtMs - noticeMs), expiresAtMs];
  const ahead = moments.map((moment) => moment - nowMs).filter((leftMs) => leftMs > 0);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}
