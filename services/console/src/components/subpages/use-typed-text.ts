import { useEffect, useEffectEvent, useState } from 'react';

const TYPING_MS = 200;

interface Typed {
  readonly text: string;
  /** Whether somebody is at it: it is not sent yet. */
  readonly isWaiting: boolean;
  /** What was sent, and the URL does not say yet. Without spaces around it, which some searches leave out. */
  readonly sent: readonly string[];
  /** What the URL said last. */
  readonly known: string;
}

/**
 * What stands in a field whose value the URL holds, and how to type into it. The URL follows once typing pauses, and
 * takes its time: what it says of what was typed here changes nothing in the field. What it says by other means, such
 * as the way back or a saved view, takes the place of what was typed.
 */
export function useTypedText(value: string, send: (text: string) => void): readonly [string, (text: string) => void] {
  const [typed, setTyped] = useState(() => untouched(value));
  if (value !== typed.known) setTyped(heard(typed, value));
  const { text, isWaiting, sent } = typed;
  const sendNow = useEffectEvent(() => {
    setTyped({ ...typed, isWaiting: false, sent: [...sent, text.trim()] });
    send(text);
  });
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => sendNow(), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, isWaiting]);
  return [text, (next) => setTyped({ ...typed, text: next, isWaiting: true })];
}

function untouched(value: string): Typed {
  return { text: value, isWaiting: false, sent: [], known: value };
}

/** Pure. */
function heard(typed: Typed, value: string): Typed {
  const own = typed.sent.indexOf(value.trim());
  return own < 0 ? untouched(value) : { ...typed, sent: typed.sent.slice(own + 1), known: value };
}
