import {
  Alert,
  Card,
  CardBody,
  CardHeader,
  CardTitle,
  Stack,
  ToggleGroup,
  ToggleGroupItem,
} from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { partOfPage } from '../../../app/PartOfPage.js';
import { LiveContent } from '../../../components/LiveContent.js';
import { useViewState } from '../../../components/subpages/use-view-state.js';
import { PartsTree } from './PartsTree.js';
import { rootCause, stateOf, type TreeNode } from './tree-node.js';
import { useClusterTree } from './use-cluster-tree.js';

const PartsGraph = partOfPage(async () => (await import('./PartsGraph.js')).PartsGraph);

/** Everything that the cluster owns, as a tree or a graph; and which part of it is the cause when something is wrong. */
export function TreeTab(): ReactElement {
  const { t } = useTranslation('cluster');
  const { tree, live } = useClusterTree();
  const [{ view }, setView] = useViewState();
  const isGraph = view === 'graph';
  const choice = (
    <ToggleGroup aria-label={t('tree.view')}>
      <ToggleGroupItem text={t('tree.asTree')} isSelected={!isGraph} onChange={() => setView({ view: undefined })} />
      <ToggleGroupItem text={t('tree.asGraph')} isSelected={isGraph} onChange={() => setView({ view: 'graph' })} />
    </ToggleGroup>
  );
  return (
    <Card>
      <CardHeader hasWrap actions={{ actions: choice }}>
        <CardTitle component="h2">{t('tree.title')}</CardTitle>
      </CardHeader>
      <CardBody>
        <LiveContent of={live}>
          <Stack hasGutter>
            <Cause tree={tree} />
            {isGraph ? <PartsGraph tree={tree} /> : <PartsTree tree={tree} />}
          </Stack>
        </LiveContent>
      </CardBody>
    </Card>
  );
}

/** Which part the whole stands or falls with, and the way to it. */
function Cause({ tree }: { readonly tree: TreeNode }): ReactElement {
  const { t } = useTranslation('cluster');
  const path = rootCause(tree);
  const cause = path.at(-1);
  if (!cause) return <Alert variant="success" isInline isPlain component="h3" title={t('tree.allWell')} />;
  const kindText = (kind: string): string => t(`tree.kind.${kind}`, { defaultValue: kind });
  const state = stateOf(cause);
  const variant = state === 'failing' ? 'danger' : state === 'warning' ? 'warning' : 'info';
  const title = t(`tree.cause.${state}`, { kind: kindText(cause.kind), name: cause.name });
  return (
    <Alert variant={variant} isInline isLiveRegion component="h3" title={title}>
      {cause.message !== '' && <p>{t(`tree.message.${cause.message}`, { defaultValue: cause.message })}</p>}
      {path.length > 1 && (
        <p>{t('tree.way', { way: path.map(({ kind, name }) => `${kindText(kind)} ${name}`).join(' → ') })}</p>
      )}
    </Alert>
  );
}
