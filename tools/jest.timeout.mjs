import { jest } from '@jest/globals';

// Servers start and stop in hooks, on machines that may be busy.
jest.setTimeout(30_000);
