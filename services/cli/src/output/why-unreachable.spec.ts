import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@crate/errors';
import { errorLines } from './error-text.js';
import { whyUnreachable } from './why-unreachable.js';

function failed(message: string, rest: object = {}): Error {
  return Object.assign(new Error(message), rest);
}

/** As Node fails with for a name that has two addresses, at neither of which anything listens. */
function atNoAddress(): Error {
  const errors = ['::1', '127.0.0.1'].map((host) => failed(`connect ECONNREFUSED ${host}`, { code: 'ECONNREFUSED' }));
  return Object.assign(new AggregateError(errors, ''), { code: 'ECONNREFUSED' });
}

describe('why something did not answer', () => {
  it.each([
    { name: 'a code that is known', error: failed('connect', { code: 'ENOTFOUND' }), want: 'there is no such host' },
    { name: 'a name with several addresses', error: atNoAddress(), want: 'nothing listens there' },
    {
      name: 'what fetch has below its error',
      error: new TypeError('fetch failed', { cause: atNoAddress() }),
      want: 'nothing listens there',
    },
    {
      name: 'a port without TLS',
      error: failed('write EPROTO 40:error:0A00010B:SSL', { code: 'EPROTO' }),
      want: 'it does not speak TLS there: is it the right port?',
    },
    {
      name: 'what OpenSSL means',
      error: failed('40:error:0A000412:SSL routines\n', {
        ...{ code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', reason: 'ssl/tls alert bad certificate' },
      }),
      want: 'ssl/tls alert bad certificate',
    },
    { name: 'a code that is unknown', error: failed('odd failure\n', { code: 'EODD' }), want: 'odd failure' },
    { name: 'a code alone', error: failed('', { code: 'EODD' }), want: 'EODD' },
    {
      name: 'a text without a code',
      error: failed('The server does not support SSL connections'),
      want: /support SSL/,
    },
    { name: 'what is no error', error: 'gone', want: 'gone' },
    {
      name: 'an error that came of a response',
      error: new Error('Unexpected status', { cause: { status: 500 } }),
      want: 'Unexpected status',
    },
  ])('is told by $name', ({ error, want }) => {
    expect(whyUnreachable(error)).toMatch(want);
  });

  it('stands behind what failed, once', () => {
    const cause = failed('connect ENETDOWN', { code: 'ENETDOWN' });
    expect(errorLines(unavailable('Cannot reach x', cause))).toEqual(['Cannot reach x: connect ENETDOWN']);
    expect(errorLines(unavailable('Cannot reach x: connect ENETDOWN', cause))).toEqual([
      'Cannot reach x: connect ENETDOWN',
    ]);
  });

  it('is not told by the texts of our own errors, nor by those without a code', () => {
    expect(errorLines(unavailable('Gone', unavailable('For the log')))).toEqual(['Gone']);
    expect(errorLines(unavailable('Gone', new SyntaxError('Unexpected token')))).toEqual(['Gone']);
  });
});
