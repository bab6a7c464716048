import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cleanup, render, screen } from '@testing-library/react';
import { ApiError } from '../../api/api-error.js';
import '../../i18n/index.js';
import { DeedError } from './DeedError.js';

const { scrollIntoView } = Element.prototype;

describe('what was refused', () => {
  afterEach(() => {
    cleanup();
    Object.assign(Element.prototype, { scrollIntoView });
  });

  it('is said once where the message names its only cause', () => {
    const cause = { field: 'spec.reason', message: 'must say why' };
    const error = new ApiError(422, 'Invalid', 'waiver is invalid: spec.reason: must say why', { causes: [cause] });
    render(<DeedError error={error} />);
    expect(screen.queryByRole('listitem')).toBeNull();
    cleanup();
    render(<DeedError error={new ApiError(422, 'Invalid', 'waiver is invalid', { causes: [cause] })} />);
    expect(screen.getByRole('listitem')).toHaveTextContent('spec.reason: must say why');
  });

  it('comes into sight where a form is longer than the window', () => {
    const moved = jest.fn<typeof scrollIntoView>();
    Element.prototype.scrollIntoView = moved;
    const { rerender } = render(<DeedError error={null} />);
    expect(moved).not.toHaveBeenCalled();
    rerender(<DeedError error={new Error('There is no rule no-such-rule')} />);
    expect(screen.getByText('There is no rule no-such-rule')).toBeVisible();
    expect(moved).toHaveBeenCalledTimes(1);
  });
});
