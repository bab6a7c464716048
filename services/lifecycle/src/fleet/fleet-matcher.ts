import { FLEET_HEALTHS } from '@crate/api';
import type { FleetEntry, FleetLabels } from './fleet-entry.js';
import type { FleetFilter, FleetQuery } from './fleet-query.js';

type Test = (entry: FleetEntry) => boolean;

const LABEL_OF: Readonly<Record<FleetFilter, (entry: FleetEntry) => number>> = {
  project: (entry) => entry.project,
  region: (entry) => entry.region,
  version: (entry) => entry.version,
  provider: (entry) => entry.account.provider,
  engine: (entry) => entry.engine,
  class: (entry) => entry.class,
};

/** Says of an entry whether it is asked for. Good for as long as no labels come: words are looked up once, and numbers compared. */
export function matcherOf({ filters, healths, text }: FleetQuery, labels: FleetLabels): Test {
  const tests: Test[] = Object.entries(filters).map(([name, words]) => {
    const allowed = labels[name as FleetFilter].matching((word) => words.includes(word));
    const labelOf = LABEL_OF[name as FleetFilter];
    return (entry) => allowed[labelOf(entry)] === 1;
  });
  if (healths) {
    const allowed = Uint8Array.from(FLEET_HEALTHS, (health) => Number(healths.includes(health)));
    tests.push((entry) => allowed[entry.health] === 1);
  }
  if (text !== undefined) tests.push(textTest(text, labels));
  const [first, ...rest] = tests;
  if (!first) return () => true;
  return rest.length === 0 ? first : (entry) => tests.every((test) => test(entry));
}

/** An expression finds text however it is spelled without making a copy of what it looks through. */
function textTest(text: string, labels: FleetLabels): Test {
  const part = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'i');
  const projects = labels.project.matching((word) => part.test(word));
  const classes = labels.class.matching((word) => part.test(word));
  return ({ name, project, class: ofClass, cause }) =>
    projects[project] === 1 ||
    classes[ofClass] === 1 ||
    part.test(name) ||
    (cause !== undefined && (part.test(cause.message) || part.test(cause.reason) || part.test(cause.condition)));
}
