import { valueText } from './plan-text.js';
import type { StateDiff } from './state-diff.js';

type Resource = StateDiff['resources'][number];

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

/** A comparison of two versions of a state, for people. */
export function stateDiffText({ from, to, counts, resources, omittedChanges }: StateDiff): string {
  const head = `Version ${from.serial} (${from.createdAt}) -> version ${to.serial} (${to.createdAt})`;
  const isOther =
    from.lineage === to.lineage ? [] : ['They are of different lineages: two states, not two versions of one'];
  const total = `${counts.added} added, ${counts.removed} removed, ${counts.changed} changed`;
  const left = omittedChanges === 0 ? [] : [`Attributes of ${omittedChanges} resources are left out`];
  const blocks = [[head, ...isOther], ...resources.map(resourceText), [total, ...left]];
  return blocks.map((block) => `${block.join('\n')}\n`).join('\n');
}

function resourceText({ address, action, changes }: Resource): string[] {
  const width = Math.max(0, ...changes.map(({ path }) => path.length));
  const lines = changes.map((change) => `      ${change.path.padEnd(width)}  ${changeText(change, action)}`);
  return [`  ${SIGNS[action]} ${address} (${action})`, ...lines];
}

function changeText({ before, after, isSensitive }: Resource['changes'][number], action: Resource['action']): string {
  if (action === 'added') return valueText(after);
  if (action === 'removed') return valueText(before);
  return isSensitive ? '(sensitive value, changed)' : `${valueText(before)} -> ${valueText(after)}`;
}
