import { describe, expect, it } from '@jest/globals';
import {
  formatKubeconfig,
  kubeconfigFor,
  kubeconfigForServer,
  kubeconfigForUser,
  parseKubeconfig,
  currentEntries,
} from './kubeconfig.js';

const demo = kubeconfigFor({
  name: 'demo',
  server: 'https://10.0.0.1:6443',
  ca: 'CA',
  credentials: { cert: 'CERT', key: 'KEY' },
  namespace: 'team-a',
});

describe('kubeconfigFor', () => {
  it('embeds certificates in base64, as kubectl reads them', () => {
    expect(currentEntries(demo)).toEqual({
      cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority-data': 'Q0E=' },
      user: { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' },
    });
  });

  it('survives writing and reading', () => {
    expect(parseKubeconfig(formatKubeconfig(demo))).toEqual(demo);
  });

  it('quotes names that are no text to kubectl', () => {
    const named = kubeconfigFor({ name: 'on', server: 'https://x', namespace: 'n', credentials: { token: '1_000' } });
    const text = formatKubeconfig(named);
    for (const line of ['name: "on"', 'namespace: "n"', 'token: "1_000"']) expect(text).toContain(line);
  });
});

describe('kubeconfigForServer', () => {
  it('points the current context elsewhere and drops everything else', () => {
    const other = kubeconfigFor({ name: 'other', server: 'https://other', credentials: { token: 't' } });
    const both = {
      ...demo,
      clusters: [...other.clusters, ...demo.clusters],
      users: [...other.users, ...demo.users],
      contexts: [...other.contexts, ...demo.contexts],
    };
    const moved = kubeconfigForServer(both, 'moved', 'https://lb.example.com:6443');

    expect(moved.clusters).toHaveLength(1);
    expect(currentEntries(moved)).toEqual({
      cluster: { server: 'https://lb.example.com:6443', 'certificate-authority-data': 'Q0E=' },
      user: currentEntries(demo).user,
    });
  });
});

describe('kubeconfigForUser', () => {
  it('keeps names, cluster and context, and nothing of who it was for', () => {
    const engines = {
      ...demo,
      users: [
        { name: 'demo', user: { token: 's3cret' } },
        { name: 'other', user: {} },
      ],
    };
    const given = kubeconfigForUser(engines, { cert: 'CERT', key: 'KEY' });
    expect(given).toEqual({
      ...demo,
      users: [{ name: 'demo', user: { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' } }],
    });
  });
});

describe('parseKubeconfig', () => {
  it.each([
    { name: 'no YAML', text: 'key: [s3cret' },
    { name: 'another document', text: 's3cret' },
    { name: 'no lists', text: 'current-context: s3cret' },
    { name: 'no current context', text: 'clusters: []\nusers: []\ncontexts: []\ns: s3cret' },
  ])('refuses $name without quoting it', ({ text }) => {
    const read = (): unknown => parseKubeconfig(text);
    expect(read).toThrow(/kubeconfig/);
    expect(read).not.toThrow(/s3cret/);
  });

  it('says which name of the current context leads nowhere', () => {
    const broken = { ...demo, users: [] };

    expect(() => currentEntries(broken)).toThrow(/user "demo"/);
  });
});
