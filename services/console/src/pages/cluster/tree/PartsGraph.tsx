import { ActionList, ActionListItem, Button } from '@patternfly/react-core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import './graph.css';
import { PartBox } from './PartBox.js';
import type { TreeNode } from './tree-node.js';
import { useGraphPicture } from './use-graph-picture.js';
import { useGraphView, type GraphView } from './use-graph-view.js';

/** The parts of a cluster as a graph: moved by dragging, the arrow keys or a press, each part reached by the tabulator. */
export function PartsGraph({ tree }: { readonly tree: TreeNode }): ReactElement {
  const { t } = useTranslation('cluster');
  const [picture, toggle] = useGraphPicture(tree);
  const view = useGraphView(picture, tree);
  return (
    <>
      <ViewActions view={view} />
      <p id="graph-keys">{t('tree.keys')}</p>
      <svg
        className="crate-graph"
        role="group"
        aria-label={t('tree.title')}
        aria-describedby="graph-keys"
        tabIndex={0}
        {...view.frame}
      >
        <g transform={view.transform}>
          {picture.lines.map(({ id, points }) => (
            <polyline key={id} points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
          ))}
          {picture.boxes.map((placed) => (
            <PartBox
              key={placed.node.id}
              placed={placed}
              isOpen={placed.node.children.length > 0}
              {...(placed.node.isGroup ? { onToggle: () => toggle(placed) } : {})}
            />
          ))}
        </g>
      </svg>
    </>
  );
}

const ZOOM = 1.25;

/** Nearer, further, all of it at once, and what lies beside: by single presses, for who cannot drag. */
function ViewActions({ view: { zoomBy, look, fit } }: { readonly view: GraphView }): ReactElement {
  const { t } = useTranslation('cluster');
  const actions = [
    { name: 'zoomIn', act: () => zoomBy(ZOOM) },
    { name: 'zoomOut', act: () => zoomBy(1 / ZOOM) },
    { name: 'fit', act: fit },
    { name: 'left', act: () => look('left') },
    { name: 'right', act: () => look('right') },
    { name: 'up', act: () => look('up') },
    { name: 'down', act: () => look('down') },
  ] as const;
  return (
    <ActionList>
      {actions.map(({ name, act }) => (
        <ActionListItem key={name}>
          <Button variant="secondary" size="sm" onClick={act}>
            {t(`tree.${name}`)}
          </Button>
        </ActionListItem>
      ))}
    </ActionList>
  );
}
