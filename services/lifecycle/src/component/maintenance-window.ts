import { WEEKDAYS, type MaintenanceWindow } from '@crate/api';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_OF_A_WEEK = 7;

/** Whether an upgrade may begin now, or when it may. */
export type WindowState = { readonly isOpen: true } | { readonly isOpen: false; readonly opensAt: Date };

/** How the window stands; without one it is always open. Times are UTC. Pure. */
export function windowState(window: MaintenanceWindow | undefined, now: Date): WindowState {
  if (!window) return { isOpen: true };
  const lengthMs = window.durationMinutes * MINUTE_MS;
  // Yesterday's may still be open.
  const starts = startsAround(window, now);
  if (starts.some((at) => at <= now.getTime() && now.getTime() < at + lengthMs)) return { isOpen: true };
  return { isOpen: false, opensAt: new Date(Math.min(...starts.filter((at) => at > now.getTime()))) };
}

/** When it begins from yesterday until a week from now. */
function startsAround({ days, start }: MaintenanceWindow, now: Date): readonly number[] {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const [hours = 0, minutes = 0] = start.split(':').map(Number);
  return Array.from({ length: DAYS_OF_A_WEEK + 2 }, (_, index) => midnight + (index - 1) * DAY_MS)
    .filter((day) => (days ?? WEEKDAYS).some((name) => name === WEEKDAYS[new Date(day).getUTCDay()]))
    .map((day) => day + (hours * 60 + minutes) * MINUTE_MS);
}
