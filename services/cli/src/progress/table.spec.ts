import { describe, expect, it } from '@jest/globals';
import { formatTable } from './table.js';

describe('formatTable', () => {
  it('makes every column as wide as its widest cell', () => {
    const lines = formatTable(
      ['NAME', 'STATUS', 'NOTE'],
      [
        ['demo-control-plane-0', 'Ready', ''],
        ['a', 'NotReady', 'cordoned'],
      ],
    );
    expect(lines).toEqual([
      'NAME                  STATUS    NOTE',
      'demo-control-plane-0  Ready',
      'a                     NotReady  cordoned',
    ]);
  });

  it('shows the header of an empty table, and rows that lack cells', () => {
    expect(formatTable(['A', 'B'], [])).toEqual(['A  B']);
    expect(formatTable(['A', 'B'], [['x']])).toEqual(['A  B', 'x']);
  });
});
