import { jest } from '@jest/globals';

// A whole platform starts and clusters come and go.
jest.setTimeout(300_000);
