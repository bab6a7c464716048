import type { FleetPage, FleetRollup } from '@crate/api';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { apiJson } from '../../api/http.js';
import { useSession } from '../../app/session-context.js';
import { FleetFeed, type FleetSnapshot } from './fleet-feed.js';
import { fleetQuery, parseFleetSearch, type FleetSearch } from './fleet-search.js';

/** Kept when the page is left, so that coming back finds it as it was; never from one person to the next. */
let kept: { readonly user: string; readonly feed: FleetFeed } | undefined;

function feedOf(user: string): FleetFeed {
  if (kept?.user !== user) kept = { user, feed: new FleetFeed() };
  return kept.feed;
}

/** Forgets what is kept, as a new page would. */
export function forgetFleet(): void {
  kept = undefined;
}

/** The fleet as the URL asks for it. */
export function useFleet(search: FleetSearch): { readonly fleet: FleetSnapshot; readonly feed: FleetFeed } {
  const { user } = useSession();
  const feed = feedOf(user);
  const query = fleetQuery(search);
  // Before the table says which rows of it are in view.
  useLayoutEffect(() => feed.ask(query), [feed, query]);
  const fleet = useSyncExternalStore(feed.subscribe, feed.current);
  return { fleet, feed };
}

/** State of the page in its URL, and how to change it; `replace` for what is typed, so that "back" goes back a step. */
export function useFleetSearch(): readonly [FleetSearch, (next: FleetSearch, replace?: boolean) => void] {
  const search = parseFleetSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const change = useCallback(
    (next: FleetSearch, replace = false) => void navigate({ to: '/', search: next, replace, resetScroll: false }),
    [navigate],
  );
  return [search, change];
}

const OPTIONS_MS = 30_000;

/** Counts over the whole fleet, whatever is filtered: what filters can offer. */
export function useWholeFleet(): FleetPage | undefined {
  const { data } = useQuery({
    queryKey: ['fleet', 'whole'],
    queryFn: ({ signal }) => apiJson<FleetPage>('/fleet/clusters?limit=1', { signal }),
    refetchInterval: OPTIONS_MS,
  });
  return data;
}

const HEALTH_MS = 10_000;

/** Counts by health of what matches all other filters: one that is not chosen has its number, too, and not nought. */
export function useHealthCounts(search: FleetSearch, rollup: FleetRollup): FleetRollup['health'] {
  const { health, ...others } = search;
  const query = fleetQuery(others);
  const { data } = useQuery({
    queryKey: ['fleet', 'health', query],
    queryFn: ({ signal }) => apiJson<FleetPage>(`/fleet/clusters?${query}&limit=1`, { signal }),
    enabled: health !== undefined,
    refetchInterval: HEALTH_MS,
  });
  return health === undefined
    ? rollup.health
    : { ...(data?.rollup.health ?? rollup.health), ...chosenOf(health, rollup) };
}

/** Of what is chosen the live numbers are there already. */
function chosenOf(health: string, rollup: FleetRollup): Partial<FleetRollup['health']> {
  return Object.fromEntries(Object.entries(rollup.health).filter(([name]) => health.split(',').includes(name)));
}
