import { InMemoryPublicationTurns } from './in-memory-publication-turns.js';
import { publicationTurnsContract } from './publication-turns.contract.js';

publicationTurnsContract('InMemoryPublicationTurns', () => {
  let nowMs = 0;
  return Promise.resolve({
    turns: new InMemoryPublicationTurns(() => nowMs),
    age: (ms) => Promise.resolve(void (nowMs += ms)),
    close: () => Promise.resolve(),
  });
});
