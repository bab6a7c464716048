import { useNavigate, useSearch } from '@tanstack/react-router';

type ViewState = Readonly<Record<string, string | undefined>>;

/** What of a view stands in the URL, and how to change it; an undefined or empty value leaves the URL. */
export function useViewState(): readonly [ViewState, (change: ViewState) => void] {
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const state = Object.fromEntries(Object.entries(search).map(([key, value]) => [key, textOf(value)]));
  const change = (next: ViewState): void => {
    const kept = Object.fromEntries(
      Object.entries(next).map(([key, value]) => [key, value === '' ? undefined : value]),
    );
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...kept }), replace: true } as never);
  };
  return [state, change];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
