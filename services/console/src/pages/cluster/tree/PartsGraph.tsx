import { ActionList, ActionListItem, Button } from '@patternfly/react-core';
import { useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { BOX, graphPicture, type GraphPicture, type Placed } from './graph-layout.js';
import { rootCause, type TreeNode } from './tree-node.js';
import './graph.css';

const STEP = 40;
/** Where the cause, or the cluster itself, is at first, from the top. */
const MIDDLE = 250;
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

/** The parts of a cluster as a graph: moved by dragging or the arrow keys, each part reached by the tabulator. */
export function PartsGraph({ tree }: { readonly tree: TreeNode }): ReactElement {
  const { t } = useTranslation('cluster');
  // Laid out anew only when parts come, go or change.
  const key = JSON.stringify(tree);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key is the tree
  const picture = useMemo(() => graphPicture(tree, open), [key, open]);
  const toggle = (id: string): void =>
    setOpen(new Set(open.has(id) ? [...open].filter((each) => each !== id) : [...open, id]));
  const [zoom, setZoom] = useState(1);
  const [at, setAt] = useState(() => ({ x: 0, y: MIDDLE - (beginning(picture, tree)?.y ?? MIDDLE) }));
  const frame = useRef<SVGSVGElement>(null);
  const grip = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const move = (x: number, y: number): void => setAt((before) => ({ x: before.x + x, y: before.y + y }));
  const drag = ({ clientX, clientY }: PointerEvent): void => {
    if (!grip.current) return;
    move(clientX - grip.current.x, clientY - grip.current.y);
    grip.current = { x: clientX, y: clientY };
  };
  const fit = (): void => {
    const { clientWidth = picture.width, clientHeight = picture.height } = frame.current ?? {};
    setZoom(Math.min(clientWidth / picture.width, clientHeight / picture.height, 1));
    setAt({ x: 0, y: 0 });
  };
  return (
    <>
      <ActionList>
        <ActionListItem>
          <Button variant="secondary" size="sm" onClick={() => setZoom(zoom * 1.25)}>
            {t('tree.zoomIn')}
          </Button>
        </ActionListItem>
        <ActionListItem>
          <Button variant="secondary" size="sm" onClick={() => setZoom(zoom / 1.25)}>
            {t('tree.zoomOut')}
          </Button>
        </ActionListItem>
        <ActionListItem>
          <Button variant="secondary" size="sm" onClick={fit}>
            {t('tree.fit')}
          </Button>
        </ActionListItem>
      </ActionList>
      <p id="graph-keys">{t('tree.keys')}</p>
      <svg
        className="crate-graph"
        role="group"
        aria-label={t('tree.title')}
        aria-describedby="graph-keys"

        tabIndex={0}
        ref={frame}
        onPointerDown={({ clientX, clientY }) => (grip.current = { x: clientX, y: clientY })}
        onPointerMove={drag}
        onPointerUp={() => (grip.current = undefined)}
        onPointerLeave={() => (grip.current = undefined)}
        onKeyDown={(event) => {
          const by = KEYS[event.key];
          if (!by) return;
          event.preventDefault();
          move(...by);
        }}
      >
        <g transform={`translate(${at.x} ${at.y}) scale(${zoom})`}>
          {picture.lines.map(({ id, points }) => (
            <polyline key={id} points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
          ))}
          {picture.boxes.map((placed) => (
            <Box
              key={placed.node.id}
              placed={placed}
              isOpen={placed.node.children.length > 0}
              {...(placed.node.isGroup ? { onToggle: () => toggle(placed.node.id) } : {})}
            />
          ))}
        </g>
      </svg>
    </>
  );
}

const MARGIN = 8;
/** There is a sign in the corner of a group. */
const MARGIN_OF_GROUP = 26;

/** What somebody wants to see first: the cause when something is wrong, else the cluster. */
function beginning({ boxes }: GraphPicture, tree: TreeNode): Placed | undefined {
  const cause = rootCause(tree).at(-1);
  return boxes.find(({ node }) => node.id === cause?.id) ?? boxes[0];
}

interface BoxProps {
  readonly placed: Placed;
  readonly isOpen: boolean;
  /** Of a group: shows what is in it, or no longer. */
  readonly onToggle?: () => void;
}

function Box({ placed: { node, state, x, y }, isOpen, onToggle }: BoxProps): ReactElement {
  const { t } = useTranslation('cluster');
  const { kind, name, message } = node;
  const said = message === '' ? '' : `, ${t(`tree.message.${message}`, { defaultValue: message })}`;
  const words = `${t(`tree.kind.${kind}`, { defaultValue: kind })} ${name}: ${t(`tree.state.${state}`)}${said}`;
  const margin = onToggle ? MARGIN_OF_GROUP : MARGIN;
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onToggle?.();
  };
  return (
    <g
      className={`crate-part crate-part-${state}`}
      {...(onToggle
        ? { role: 'button', 'aria-expanded': isOpen, onClick: onToggle, onKeyDown: press }
        : { role: 'img', 'aria-label': words })}
      tabIndex={0}
      transform={`translate(${x - BOX.width / 2} ${y - BOX.height / 2})`}
    >
      {/* A button is called what it shows. */}
      {!onToggle && <title>{words}</title>}
      <rect width={BOX.width} height={BOX.height} rx={6} />
      <text x={12} y={22}>
        {t(`tree.kind.${kind}`, { defaultValue: kind })} · {t(`tree.state.${state}`)}{' '}
      </text>
      {/* Long names are cut by the box, and not in words: what is seen is part of what is said. */}
      <svg width={BOX.width - margin} height={BOX.height}>
        <text x={12} y={42} className="crate-part-name">
          {name}
        </text>
      </svg>
      {onToggle && (
        <path
          d={isOpen ? 'M-5 0H5' : 'M-5 0H5M0 -5V5'}
          stroke="currentColor"
          strokeWidth={2}
          transform={`translate(${BOX.width - 16} 38)`}
        />
      )}
    </g>
  );
}
