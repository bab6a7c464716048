import { Fragment, type ReactElement } from 'react';

/** After these, and between words that are told apart by a capital, a name may go on in the next line; browsers know of hyphens only. */
const JOINTS = /(?<=[-_@:/.?&=])(?!\/)|(?<=[a-z])(?=[A-Z])/;

/** A name that machines made, such as of a replica, an address, or a message with such in it: on two lines it is broken between its words, and not within one. */
export function Name({ children }: { readonly children: string }): ReactElement {
  const [first, ...more] = children.split(JOINTS);
  return (
    <span className="crate-name">
      {first}
      {more.map((word, index) => (
        <Fragment key={`${index}${word}`}>
          <wbr />
          {word}
        </Fragment>
      ))}
    </span>
  );
}
