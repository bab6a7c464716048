import { jest } from '@jest/globals';

// A whole platform starts and clusters come and go. Longer than all waits of one test together: where a wait is over the error says for what
// it was and how far that had come, which is lost where Jest's own time is over.
jest.setTimeout(1_500_000);
