import { assessmentRepositoryContract } from './assessment.repository.contract.js';
import { InMemoryAssessmentRepository } from './in-memory-assessment.repository.js';

assessmentRepositoryContract('InMemoryAssessmentRepository', () =>
  Promise.resolve({ assessments: new InMemoryAssessmentRepository(), close: () => Promise.resolve() }),
);
