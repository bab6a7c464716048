import type { Project } from '@crate/api';
import { createContext, useContext } from 'react';

const ProjectContext = createContext<Project | undefined>(undefined);

export const ProjectProvider = ProjectContext.Provider;

/** The Project of the page. Throws outside of it. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error('There is no Project here');
  return project;
}
