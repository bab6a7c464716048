import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { PlayedApi, type PlayedWatch } from '../../testing/played-api.js';
import { renderPage } from '../../testing/render-page.js';
import { aPage, aRow } from './fleet-fixtures.js';
import { fleetRoutes } from './routes.js';
import { forgetFleet } from './use-fleet.js';

const PATH = '/fleet/clusters';
const ROW_PX = 60;
const ABOVE_PX = 200;
const api = new PlayedApi();
const scroller = document.documentElement;
const observers = globalThis.ResizeObserver;

/** Lays out what jsdom does not: rows of one height below what stands above the table. */
function layOut(): void {
  jest.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  jest.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(ABOVE_PX + 1000 * ROW_PX);
  jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(ROW_PX);
  jest.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function rectOf(this: Element) {
    return new DOMRect(0, this === scroller ? 0 : ABOVE_PX - scroller.scrollTop, 800, ROW_PX);
  });
  jest.spyOn(Element.prototype, 'scrollTo').mockImplementation(((to: ScrollToOptions) => {
    // A browser tells of it later.
    queueMicrotask(() => act(() => scroll(to.top ?? 0)));
  }) as never);
  globalThis.ResizeObserver = class extends observers {
    constructor(private readonly onSize: ResizeObserverCallback) {
      super(onSize);
    }
    override observe(): void {
      this.onSize([], this);
    }
  };
}

function scroll(top: number): void {
  scroller.scrollTop = top;
  fireEvent.scroll(scroller);
}

/** Answers what is watched next, by its own order, with the rows that it asks for. */
async function answer(): Promise<PlayedWatch> {
  const watch = await api.watchOf(PATH);
  const [offset = 0, limit = 0] = ['offset', 'limit'].map((name) => Number(watch.query.get(name)));
  const of = watch.query.get('sort') === 'name' ? 'name' : 'need';
  const rows = Array.from({ length: limit }, (_none, index) => aRow(`${of}-${offset + index}`));
  await act(async () =>
    watch.send({ type: 'PAGE', page: { ...aPage(rows, { total: 1000, matching: 1000 }), offset, limit } }),
  );
  return watch;
}

describe('rows in view', () => {
  beforeEach(() => {
    api.install();
    forgetFleet();
    layOut();
    api.json(PATH, aPage([aRow('need-0')], { total: 1000, matching: 1000 }));
    renderPage(fleetRoutes, '/');
  });
  afterEach(() => {
    cleanup();
    scroller.scrollTop = 0;
    api.remove();
    globalThis.ResizeObserver = observers;
    jest.restoreAllMocks();
  });

  it('are the first ones of another order, and those of the one before on the way back to it', async () => {
    await answer();
    await screen.findByText('need-0');
    act(() => scroll(ABOVE_PX + 400 * ROW_PX));
    await answer();
    await screen.findByText('need-400');
    await userEvent.click(screen.getByText('Name', { selector: 'th *' }));
    await answer();
    expect(await screen.findByText('name-0')).toBeVisible();
    await waitFor(() => expect(scroller.scrollTop).toBe(ABOVE_PX));

    act(() => scroll(ABOVE_PX + 400 * ROW_PX));
    await answer();
    await screen.findByText('name-400');
    await userEvent.click(screen.getByText('Health', { selector: 'th *' }));
    // The first rows are asked for, and then those in view.
    await api.watchOf(PATH);
    await answer();
    expect(await screen.findByText('need-400')).toBeVisible();
    await waitFor(() => expect(document.querySelector('tbody')).toHaveAttribute('aria-busy', 'false'));
  });
});
