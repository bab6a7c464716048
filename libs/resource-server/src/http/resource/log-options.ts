import { badRequest } from '@crate/errors';
import type { LogQuery } from '@crate/resource-client';
import { flag, parameter, wholeNumber } from '../exchange.js';

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** The query parameters of a log, as those of a Pod's. Throws BadRequest. Source: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ */
export function logQuery(query: URLSearchParams, now: Date): LogQuery {
  const tailLines = wholeNumber(query, 'tailLines');
  const since = sinceOf(query, now);
  return {
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(since === undefined ? {} : { since }),
    ...(flag(query, 'timestamps') ? { timestamps: true } : {}),
  };
}

function sinceOf(query: URLSearchParams, now: Date): string | undefined {
  const time = parameter(query, 'sinceTime');
  const seconds = wholeNumber(query, 'sinceSeconds');
  if (time !== undefined && seconds !== undefined) throw badRequest('give sinceTime or sinceSeconds, not both');
  if (seconds !== undefined) return new Date(now.getTime() - seconds * 1000).toISOString();
  if (time === undefined) return undefined;
  if (!RFC_3339.test(time) || Number.isNaN(Date.parse(time))) {
    throw badRequest('sinceTime must be a time such as 2026-11-21T10:00:00Z');
  }
  return time.toUpperCase();
}
