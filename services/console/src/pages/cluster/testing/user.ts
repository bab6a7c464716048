import { configure } from '@testing-library/react';
import userEvent, { PointerEventsCheckLevel } from '@testing-library/user-event';

// Whether something is hidden is judged by style, element by element: slow in jsdom, and asked by toBeVisible where it matters.
configure({ defaultHidden: true });

/** Somebody at mouse and keyboard. */
export const user = userEvent.setup({ pointerEventsCheck: PointerEventsCheckLevel.Never, delay: null });
