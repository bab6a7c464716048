import { Option } from 'commander';
import { readCliEnvironment } from '../config.js';
import { parseDuration } from '../objects/duration.js';

/** An option for a duration, whose default is shown as a person writes it. */
export function durationOption(flags: string, description: string, text: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(parseDuration(text), text);
}

/** Several in one word. */
export function parseList(value: string): readonly string[] {
  return value.split(',').flatMap((each) => each.trim() || []);
}

/** Where the local platform keeps everything; the default is shown as what it comes from, the same on every machine. */
export function dataDirOption(description: string): Option {
  const option = new Option('--data-dir <dir>', description);
  return option.default(
    readCliEnvironment().dataDir,
    '$CRATE_DATA_DIR, or .crate in the checkout, ~/.crate with a release',
  );
}

/** Of an option that may be repeated: all its values, in order. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
