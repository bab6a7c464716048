import { z } from 'zod';
import { age, duration, secret } from '@crate/config';
import { isNetwork } from '../front-door/door-config.js';

const DAY_MS = 86_400_000;

/** How Projects are told what happens in them. */
export const notificationConfig = z
  .object({
    allowedNetworks: z
      .array(z.string().refine(isNetwork, 'must be an address or a network such as 10.0.0.0/8'))
      .default([])
      .describe(
        'Networks that webhooks may be in although they are private, also without TLS; others must be public and https',
      ),
    caFile: z
      .string()
      .optional()
      .describe(
        'PEM file with authorities that receivers and the mail server are trusted by, besides those that everybody trusts',
      ),
    timeoutMs: duration()
      .min(100)
      .default(10_000)
      .describe('How long a receiver may take to answer; a mail server has 25 s at least'),
    retryMs: duration().min(10).default(5_000).describe('Pause after a first failed attempt; it doubles with each'),
    longestRetryMs: duration()
      .min(10)
      .default(15 * 60_000)
      .describe('Longest pause between attempts, unless the receiver asks for more'),
    giveUpAfterMs: age().min(1_000).default(DAY_MS).describe('A message is given up after this long'),
    repeatMs: age()
      .default(5 * 60_000)
      .describe('Shortest pause between messages of one channel about the same reason at the same object'),
    queueLength: z
      .int()
      .min(10)
      .max(100_000)
      .default(1_000)
      .describe('Messages of one channel that may wait; beyond it the least severe go, the oldest first'),
    keepMs: age()
      .default(7 * DAY_MS)
      .describe('How long the log of deliveries is kept'),
    concurrency: z.int().min(1).max(200).default(16).describe('Channels that one process delivers for at a time'),
  })
  .prefault({});

/** The mail server of the platform. */
export const smtpConfig = z
  .object({
    url: secret()
      .regex(/^smtps?:\/\/./, 'must be an smtp:// or smtps:// URL')
      .optional()
      .describe('Mail server, such as smtps://user:password@mail.example.org; absent: no e-mail is sent'),
    from: z
      .email()
      .optional()
      .describe(
        'Sender of e-mail; default: crate@ the host of the mail server. Others of its domain that channels state are where answers go',
      ),
    allowedSenders: z
      .array(z.string().trim())
      .default([])
      .describe('Addresses of that domain, or *@ it, that channels may send from instead'),
    allowedDomains: z
      .array(z.string().trim().toLowerCase())
      .default([])
      .describe('Domains that e-mail may go to; none: all'),
  })
  .prefault({});

export type NotificationConfig = z.output<typeof notificationConfig>;
export type SmtpConfig = z.output<typeof smtpConfig>;
