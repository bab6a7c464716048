import { describe, expect, it } from '@jest/globals';
import { render } from '@testing-library/react';
import { Name } from './Name.js';

const lines = (name: string): readonly string[] => {
  const { container } = render(<Name>{name}</Name>);
  expect(container.textContent).toBe(name);
  return container.innerHTML.replaceAll(/<\/?span[^>]*>/g, '').split('<wbr>');
};

describe('a name', () => {
  it.each([
    { name: 'demo', want: ['demo'] },
    { name: '20261123110000_guards_found', want: ['20261123110000_', 'guards_', 'found'] },
    { name: 'cloud-mgmt@vm:17653', want: ['cloud-', 'mgmt@', 'vm:', '17653'] },
    { name: 'https://a.dev/b?c=1&d=2', want: ['https://', 'a.', 'dev/', 'b?', 'c=', '1&amp;', 'd=', '2'] },
    { name: 'InfrastructureReady', want: ['Infrastructure', 'Ready'] },
    { name: '', want: [''] },
  ])('can be broken after what joins its words, and says all of them: $name', ({ name, want }) => {
    expect(lines(name)).toEqual(want);
  });
});
