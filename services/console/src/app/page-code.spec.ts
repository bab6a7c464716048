import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlayedApi } from '../testing/played-api.js';
import { pageCode } from './page-code.js';

const api = new PlayedApi();
beforeEach(() => {
  api.install();
  api.json('/livez', 'ok');
});
afterEach(() => api.remove());

const MISSING = new Error('Unable to preload CSS for https://crate.example/console/assets/page.css');
const fail = (): Promise<never> => Promise.reject(MISSING);

describe('the code of a page', () => {
  it('that cannot be had says so of the platform, where that is why', async () => {
    api.fail('/livez');
    await expect(pageCode(fail)).rejects.toMatchObject({ name: 'ApiError', status: 0, reason: 'Unreachable' });
  });

  it('that is not there any more says so itself', async () => {
    await expect(pageCode(fail)).rejects.toBe(MISSING);
  });

  it('comes with the styles that could not be had before, once', async () => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = 'data:text/css,';
    document.head.append(link);
    const shown = (): Element | null => document.head.querySelector('link');
    await expect(pageCode(() => Promise.resolve('page'))).resolves.toBe('page');
    expect(shown()).toBe(link);
    link.dispatchEvent(new Event('error'));
    await pageCode(() => Promise.resolve('page'));
    const again = shown();
    expect(again).not.toBe(link);
    expect(again?.getAttribute('href')).toBe('data:text/css,');
    await pageCode(() => Promise.resolve('page'));
    expect(shown()).toBe(again);
    again?.remove();
  });
});
