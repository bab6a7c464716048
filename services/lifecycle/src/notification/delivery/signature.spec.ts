import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signatureHeaders } from './signature.js';

const AT = new Date(1_731_705_121_900);

describe('signatureHeaders', () => {
  it('signs as the example that libraries of Standard Webhooks are tested with', () => {
    const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
    const body = '{"event_type":"ping","data":{"success":true}}';
    expect(signatureHeaders('msg_loFOjxBNrRLzqYUf', body, secret, AT)).toEqual({
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    });
  });

  it('takes any other secret as it is', () => {
    const want = createHmac('sha256', 'just a text').update('id.1731705121.{}').digest('base64');
    expect(signatureHeaders('id', '{}', 'just a text', AT)['webhook-signature']).toBe(`v1,${want}`);
  });
});
