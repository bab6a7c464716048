import { documentRepositoryContract } from './document.repository.contract.js';
import { InMemoryDocumentRepository } from './in-memory-document.repository.js';

const DAY_MS = 24 * 60 * 60_000;

documentRepositoryContract('InMemoryDocumentRepository', () => {
  let backMs = 0;
  const documents = new InMemoryDocumentRepository(() => new Date(Date.now() - backMs));
  // Stores anew what is there, as if it were then.
  const ageDays = async (days: number): Promise<void> => {
    const drafts = [];
    for await (const { key, request } of documents.open({})) drafts.push({ key, content: JSON.stringify(request) });
    backMs = days * DAY_MS;
    await documents.save(drafts);
    backMs = 0;
  };
  return Promise.resolve({ documents, ageDays, close: () => Promise.resolve() });
});
