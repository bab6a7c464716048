import { list, map, message, one } from './message-schema.js';

const OWNER_REFERENCE = message({
  1: one('kind'),
  3: one('name'),
  4: one('uid'),
  5: one('apiVersion'),
  6: one('controller', 'bool?'),
  7: one('blockOwnerDeletion', 'bool?'),
});

/** Times are set by the server; a client sends them empty. */
const TIME = message({});

/** Source: https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/generated.proto */
export const OBJECT_META = message({
  1: one('name'),
  2: one('generateName'),
  3: one('namespace'),
  5: one('uid'),
  6: one('resourceVersion'),
  7: one('generation', 'int'),
  8: one('creationTimestamp', TIME),
  11: map('labels'),
  12: map('annotations'),
  13: list('ownerReferences', OWNER_REFERENCE),
  14: list('finalizers'),
});

const REQUIREMENT = message({ 1: one('key'), 2: one('operator'), 3: list('values') });

export const LABEL_SELECTOR = message({ 1: map('matchLabels'), 2: list('matchExpressions', REQUIREMENT) });
