import { describe, expect, it } from '@jest/globals';
import { platformStatusSchema, platformSummarySchema } from './platform-status.js';
import { serviceReportSchema } from './service-report.js';

const AT = '2026-11-22T18:00:00.000Z';
const REPORT = {
  ...{ service: 'policy-mgmt', at: AT, answeredBy: 'a:1', replicas: [], queues: [], leases: [], omittedLeases: 0 },
  ...{ runs: [], certificates: [], missing: [] },
};

describe('what services tell', () => {
  it('may hold more than this release knows: services are upgraded one by one', () => {
    expect(serviceReportSchema.parse({ ...REPORT, mood: 'fine' })).toEqual(REPORT);
  });

  it('is refused where it lacks what this release shows', () => {
    const { queues: _none, ...rest } = REPORT;
    expect(serviceReportSchema.safeParse(rest).success).toBe(false);
  });
});

describe('what everybody may know', () => {
  it('has no member that tells hosts, projects or holders', () => {
    expect(Object.keys(platformSummarySchema.shape)).toEqual([
      'kind',
      'detail',
      'at',
      'health',
      'version',
      'inCluster',
      'services',
    ]);
    expect(Object.keys(platformSummarySchema.shape.services.element.shape)).toEqual(['name', 'state']);
  });

  it('is told from what administrators see by a field', () => {
    expect([platformSummarySchema.shape.detail.value, platformStatusSchema.shape.detail.value]).toEqual([
      'summary',
      'full',
    ]);
  });
});
