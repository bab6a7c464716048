import { Pagination } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useViewState } from './use-view-state.js';

/** The rows of the page that the URL names; a page beyond the end is the last one. Pure. */
export function pageOf<T>(rows: readonly T[], page: string | undefined, perPage: number): readonly T[] {
  const first = (pageNumber(rows.length, page, perPage) - 1) * perPage;
  return rows.slice(first, first + perPage);
}

interface PagesProps {
  readonly count: number;
  readonly perPage: number;
  readonly label: string;
}

/** Leads through pages; nothing when there is one alone. */
export function Pages({ count, perPage, label }: PagesProps): ReactElement | null {
  const [{ page }, setView] = useViewState();
  if (count <= perPage) return null;
  return (
    <Pagination
      isCompact
      itemCount={count}
      perPage={perPage}
      perPageOptions={[]}
      page={pageNumber(count, page, perPage)}
      titles={{ paginationAriaLabel: label }}
      onSetPage={(_, next) => setView({ page: next === 1 ? undefined : String(next) })}
    />
  );
}

function pageNumber(count: number, page: string | undefined, perPage: number): number {
  const asked = Number(page ?? 1);
  const last = Math.max(1, Math.ceil(count / perPage));
  return Number.isInteger(asked) ? Math.min(last, Math.max(1, asked)) : 1;
}
