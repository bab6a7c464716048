import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { useCurrentInSight } from './use-current-in-sight.js';

function Parts(): ReactElement {
  useCurrentInSight('/state');
  return (
    <nav className="pf-m-subnav">
      <ul>
        <li>Overview</li>
        <li>
          <a href="/state" aria-current="page">
            State
          </a>
        </li>
      </ul>
    </nav>
  );
}

const { scrollTo } = Element.prototype;
const { scrollIntoView } = Element.prototype;
const moved = jest.fn<(options: ScrollToOptions) => void>();
const movedAll = jest.fn();

describe('the part that is open', () => {
  beforeEach(() => {
    Element.prototype.scrollTo = moved as unknown as typeof scrollTo;
    Element.prototype.scrollIntoView = movedAll;
    Element.prototype.getBoundingClientRect = function rect(): DOMRect {
      return { left: this.tagName === 'A' ? 400 : 20, width: this.tagName === 'A' ? 60 : 200 } as DOMRect;
    };
  });
  afterEach(() => {
    Object.assign(Element.prototype, { scrollTo, scrollIntoView });
    jest.restoreAllMocks();
  });

  it('comes to the middle of its list, and the page stays where it is', () => {
    render(<Parts />);
    // The part's middle is 430 from the left of the window, its list begins at 20.
    expect(moved).toHaveBeenCalledWith({ left: 410 });
    expect(movedAll).not.toHaveBeenCalled();
  });
});
