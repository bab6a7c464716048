import { describe, expect, it } from '@jest/globals';
import { parseRkeLogLine } from './rke-log.js';

describe('parseRkeLogLine', () => {
  it.each([
    { line: 'INFO[0003] [etcd] Building up etcd plane..', level: 'info', message: '[etcd] Building up etcd plane..' },
    {
      line: 'WARN[0225] Removing host [10.0.0.1] from node lists ',
      level: 'warning',
      message: 'Removing host [10.0.0.1] from node lists',
    },
    { line: 'FATA[0225] Cluster must have one', level: 'fatal', message: 'Cluster must have one' },
    {
      line: 'time="2026-11-21T14:33:56Z" level=info msg="Successfully Deployed state file at [./cluster.rkestate]"',
      level: 'info',
      message: 'Successfully Deployed state file at [./cluster.rkestate]',
    },
    {
      line: 'time="2026-11-21T14:34:58Z" level=warning msg="Get \\"http://x\\": refused"',
      level: 'warning',
      message: 'Get "http://x": refused',
    },
    { line: 'time="2026-11-21T14:34:58Z" level=fatal msg=boom', level: 'fatal', message: 'boom' },
  ])('reads $line', ({ line, level, message }) => {
    expect(parseRkeLogLine(line)).toEqual({ level, message });
  });

  it.each(['', 'panic: runtime error', '2026/11/21 14:00:00 http: TLS handshake error'])('ignores "%s"', (line) => {
    expect(parseRkeLogLine(line)).toBeUndefined();
  });
});
