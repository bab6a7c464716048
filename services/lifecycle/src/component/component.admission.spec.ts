import { describe, expect, it } from '@jest/globals';
import type { Component } from '@crate/api';
import type { AdmissionRequest } from '@crate/resource-server';
import { componentAdmission, type ComponentAdmissionParts } from './component.admission.js';
import { Installer, type Installation } from './installer.js';
import { aComponent, INDEX } from './testing/a-component.js';

class StillInstaller extends Installer {
  override observe(): Promise<Installation> {
    return Promise.resolve({ version: '1.0.0', slots: [], present: ['1.1.0'] });
  }

  override ensure(): Promise<void> {
    return Promise.reject(new Error('Nothing is installed by a look'));
  }
}

const hook = (changes: Partial<ComponentAdmissionParts> = {}): ReturnType<typeof componentAdmission> =>
  componentAdmission({
    service: 'lifecycle',
    components: { list: () => Promise.resolve([aComponent('policy-mgmt'), aComponent('lifecycle')]) },
    installer: new StillInstaller(),
    index: () => INDEX,
    ...changes,
  });

function update(object: Component, oldObject = aComponent('policy-mgmt')): AdmissionRequest {
  return {
    operation: 'UPDATE',
    object,
    oldObject,
    context: { caller: { user: 'ada' } },
  } as unknown as AdmissionRequest;
}

const wanting = (version: string, status: object = {}): Component =>
  aComponent('policy-mgmt', { spec: { version }, status });

describe('componentAdmission', () => {
  it.each<{ name: string; given: AdmissionRequest; parts?: Partial<ComponentAdmissionParts> }>([
    { name: 'takes a version that can be reached', given: update(wanting('1.1.0')) },
    {
      name: 'takes what is installed, whoever installs',
      given: update(wanting('1.0.0')),
      parts: { installer: undefined },
    },
    {
      name: 'looks at no version that stays as it is',
      given: update(wanting('7.7.7'), wanting('7.7.7')),
    },
  ])('$name', async ({ given, parts }) => {
    expect(await hook(parts)(given)).toBeUndefined();
  });

  it.each<{ name: string; given: AdmissionRequest; parts?: Partial<ComponentAdmissionParts>; want: RegExp[] }>([
    { name: 'names all that is in the way', given: update(wanting('1.2.0')), want: [/not among the signed releases/] },
    {
      name: 'refuses what is installed from outside',
      given: update(wanting('1.1.0')),
      parts: { installer: undefined },
      want: [/not installed from within here/],
    },
    {
      name: 'refuses to judge what nobody knows',
      given: update(wanting('1.1.0', { installedVersion: undefined })),
      want: [/have not said yet/],
    },
  ])('$name', async ({ given, parts, want }) => {
    const error = (await hook(parts)(given).catch((thrown: unknown) => thrown)) as {
      code: string;
      details: { causes: { field: string; message: string }[] };
    };
    expect(error.code).toBe('InvalidSpec');
    expect(error.details.causes.map(({ field, message }) => [field, message])).toEqual(
      want.map((text) => ['spec.version', expect.stringMatching(text)]),
    );
  });

  it('lets nobody but the service make components', async () => {
    const create = { ...update(wanting('1.0.0')), operation: 'CREATE' } as AdmissionRequest;
    await expect(hook()(create)).rejects.toMatchObject({ code: 'Forbidden' });
    const own = { ...create, context: { caller: { user: 'lifecycle', service: 'lifecycle' } } } as AdmissionRequest;
    expect(await hook()(own)).toBeUndefined();
  });
});
