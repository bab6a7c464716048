import { describe, expect, it } from '@jest/globals';
import { signedHeaders } from './signed-headers.js';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const request = {
  service: 'service',
  region: 'us-east-1',
  url: 'https://example.amazonaws.com/',
  headers: {},
  body: '',
  credentials,
  now: new Date('2015-08-30T12:36:00Z'),
};

describe('signedHeaders', () => {
  it('signs as the example of the AWS test suite', () => {
    expect(signedHeaders(request)['authorization']).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  it('signs the token of a role, too', () => {
    const headers = signedHeaders({ ...request, credentials: { ...credentials, sessionToken: 'of-a-role' } });
    expect(headers['x-amz-security-token']).toBe('of-a-role');
    expect(headers['authorization']).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  });

  it('covers the body', () => {
    expect(signedHeaders({ ...request, body: 'a' })['authorization']).not.toBe(signedHeaders(request)['authorization']);
  });
});
