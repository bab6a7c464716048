import { afterEach, expect, it, jest } from '@jest/globals';
import type { Project } from '@crate/api';
import { ProjectBirths } from './project-births.js';

afterEach(() => void jest.restoreAllMocks());

it('looks again for a Project that was gone a moment ago, also where the clock was set back', async () => {
  const projects = new Map<string, Project>();
  const births = new ProjectBirths({ find: (name) => Promise.resolve(projects.get(name)) });
  expect(await births.of('team-a')).toBeUndefined();

  projects.set('team-a', { metadata: { creationTimestamp: '2026-11-21T09:00:00Z' } } as Project);
  const passed = performance.now() + 2_000;
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  jest.spyOn(performance, 'now').mockReturnValue(passed);
  expect(await births.of('team-a')).toBe(Date.parse('2026-11-21T09:00:00Z'));
});
