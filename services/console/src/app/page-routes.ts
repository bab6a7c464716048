import { createRoute, lazyRouteComponent, redirect, type AnyRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { pageCode } from './page-code.js';

/** Loads the code of a page when it is first opened; the page is the component of that name. */
type Load<N extends string> = () => Promise<Record<N, ComponentType>>;

type Parent = () => AnyRoute;

/** A page at a path below its parent. */
export function pageRoute<N extends string>(parent: Parent, path: string, name: N, load: Load<N>): AnyRoute {
  return createRoute({
    getParentRoute: parent,
    path,
    component: lazyRouteComponent<Record<N, ComponentType>, N>(() => pageCode(load), name),
  });
}

/** A page in parts: its own path leads to the first of them, which are made with it as their parent. */
export function pageInParts(page: AnyRoute, first: string, parts: (parent: Parent) => readonly AnyRoute[]): AnyRoute {
  const under = (): AnyRoute => page;
  const start = createRoute({
    getParentRoute: under,
    path: '/',
    beforeLoad: ({ params }: { readonly params: unknown }) => {
      // oxlint-disable-next-line typescript/only-throw-error -- the router's way of going elsewhere
      throw redirect({ to: first, params, search: true, replace: true } as never);
    },
  });
  return page.addChildren([start, ...parts(under)]) as AnyRoute;
}
