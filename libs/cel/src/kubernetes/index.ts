import type { Environment } from '@marcbachmann/cel-js';
import { addCidrs, addIpAddresses } from './addresses.js';
import { addFormat } from './format.js';
import { addLists, addSets } from './lists.js';
import { addNamedFormats } from './named-formats.js';
import { addQuantities } from './quantity.js';
import { addSemvers } from './semver.js';
import { addRegex, addStrings } from './strings.js';
import { addUrls } from './url.js';

/**
 * Adds the libraries that expressions in Kubernetes have, such as those of a ValidatingAdmissionPolicy.
 * Source: https://kubernetes.io/docs/reference/using-api/cel/#cel-language-and-libraries
 */
export function addKubernetesLibraries(environment: Environment): Environment {
  const libraries = [
    addLists,
    addSets,
    addRegex,
    addStrings,
    addFormat,
    addUrls,
    addIpAddresses,
    addCidrs,
    addQuantities,
    addSemvers,
    addNamedFormats,
  ];
  for (const add of libraries) add(environment);
  return environment;
}
