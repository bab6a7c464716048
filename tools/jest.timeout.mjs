import { jest } from '@jest/globals';

// Servers start and stop in hooks, on machines that may be busy; longer than `eventually` waits, so that it says what it waited for.
jest.setTimeout(120_000);
