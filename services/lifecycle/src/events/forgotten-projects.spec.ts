import { PROJECT, type Project } from '@crate/api';
import type { ChangeListener, ChangeNotice, ResourceStore } from '@crate/resource-store';
import { InMemoryLogger } from '@crate/telemetry';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { aProject } from '../testing/a-project.js';
import { ForgottenProjects, type ForgottenProjectsOptions } from './forgotten-projects.js';

const BORN = '2026-05-01T12:00:00Z';
const KEY = { group: PROJECT.group, kind: PROJECT.kind, namespace: '', name: 'team-a' };

let existing: readonly Project[];
let told: readonly string[];
const removeNamespace = jest.fn<ForgottenProjectsOptions['retention']['removeNamespace']>();
const projects = {
  find: (name: string) => Promise.resolve(existing.find(({ metadata }) => metadata.name === name)),
  list: jest.fn<ForgottenProjectsOptions['projects']['list']>(),
};

function made(): Project {
  const project = aProject('team-a');
  return { ...project, metadata: { ...project.metadata, creationTimestamp: BORN } };
}

/** Starts, hears of these changes, and has done what comes of them. */
async function hear(...types: readonly ChangeNotice['type'][]): Promise<void> {
  await hearOf('team-a', types);
}

async function hearOf(name: string, types: readonly ChangeNotice['type'][]): Promise<void> {
  let listener: ChangeListener = () => undefined;
  const store = {
    onChange: (given: ChangeListener) => {
      listener = given;
      return () => undefined;
    },
  } as unknown as ResourceStore;
  const retention = { namespaces: () => Promise.resolve(told), removeNamespace };
  const forgotten = new ForgottenProjects({ store, projects, retention, logger: new InMemoryLogger() });
  forgotten.start();
  listener(
    types.map((type) => ({ key: { ...KEY, name }, type, uid: 'u', revision: '1' })),
    'remote',
  );
  await forgotten.stop();
}

beforeEach(() => {
  existing = [];
  told = [];
  projects.list.mockImplementation(() => Promise.resolve(existing));
  removeNamespace.mockReset().mockResolvedValue(0);
});

describe('events of a Project', () => {
  it.each(['ADDED', 'DELETED'] as const)('of now stay when %s is heard late', async (type) => {
    existing = [made()];
    await hear(type);
    expect(removeNamespace.mock.calls).toEqual([['team-a', new Date(BORN)]]);
  });

  it('go with it', async () => {
    await hear('DELETED');
    expect(removeNamespace.mock.calls).toEqual([['team-a', undefined]]);
  });

  it('do not go where those about the platform are', async () => {
    await hearOf('default', ['ADDED', 'DELETED']);
    expect(removeNamespace).not.toHaveBeenCalled();
  });

  it('go with it when nobody was there to see it', async () => {
    told = ['default', 'team-a', 'team-b'];
    existing = [made()];
    await hear('MODIFIED');
    expect(removeNamespace.mock.calls).toEqual([['team-b']]);
  });

  it('stay when it is made in the middle of a sweep', async () => {
    projects.list.mockImplementation(() => {
      const before = existing;
      [existing, told] = [[made()], ['team-a']];
      return Promise.resolve(before);
    });
    await hear();
    expect(removeNamespace).not.toHaveBeenCalled();
  });
});
