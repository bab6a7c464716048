import { readFileSync } from 'node:fs';

// Preloaded into a service's process: its wall clock goes wrong by what a file says, from one moment to the next.
const file = process.env.CHAOS_CLOCK_FILE;
const service = /services\/([a-z-]+)\//.exec(process.argv[1] ?? '')?.[1] ?? '';
const LOOK_EVERY_MS = 200;
const RealDate = Date;
let offsetMs = 0;
let lookedAt = -Infinity;

function offset() {
  if (performance.now() - lookedAt < LOOK_EVERY_MS) return offsetMs;
  lookedAt = performance.now();
  try {
    offsetMs = JSON.parse(readFileSync(file, 'utf8'))[service] ?? 0;
  } catch {
    offsetMs = 0;
  }
  return offsetMs;
}

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offset());
    else super(...parts);
  }

  static now() {
    return RealDate.now() + offset();
  }
};
