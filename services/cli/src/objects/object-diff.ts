import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { KubeObject } from '@crate/api';
import { dataText } from '../output/print.js';
import { styled } from '../output/style.js';
import { asked } from './apply.js';
import { nameOf, ordered } from './object-output.js';

const CONTEXT_LINES = 3;

/**
 * What people ask for in two forms of one object, as a unified diff of YAML with members in order; status and what
 * every write changes are left out. Empty when nothing differs.
 */
export function objectDiff(before: KubeObject | undefined, after: KubeObject): string {
  const [left, right] = [before ? textOf(before) : '', textOf(after)];
  if (left === right) return '';
  const name = nameOf(after);
  const patch = createTwoFilesPatch(before ? name : '/dev/null', name, left, right, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch.replaceAll(/^.*$/gm, coloured);
}

function textOf(object: KubeObject): string {
  const { metadata, ...rest } = asked(object) as KubeObject;
  // What the platform gives a new object, and a dry run gives another one each time, is no difference.
  const { uid: _uid, creationTimestamp: _time, ...stated } = metadata;
  return dataText('yaml', ordered({ ...rest, metadata: stated }));
}

function coloured(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return styled('bold', line);
  if (line.startsWith('@@')) return styled('cyan', line);
  if (line.startsWith('+')) return styled('green', line);
  return line.startsWith('-') ? styled('red', line) : line;
}
