import { ageText } from '../../components/age-text.js';

const STEPS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Such as "12 MB". */
export function bytesText(bytes: number): string {
  const step = Math.min(STEPS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${STEPS[step]}`;
}

/** Such as "42 %". */
export function percentText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Such as "1.2 ms". */
export function millisecondsText(ms: number): string {
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}

/** Such as "3 min"; "0 s" under a second. */
export function durationText(ms: number): string {
  return ageText(ms) || '0 s';
}
