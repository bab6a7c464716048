/**
 * A root of its own below `host`: there CodeMirror's styles are constructed sheets, which the page's content security
 * policy lets through; in the document they would be inline elements, which it refuses.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  // Escape belongs to the editor first: a dialog around it must not close with what was typed.
  host.addEventListener('keydown', stopEscape);
  return root;
}

function stopEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.stopPropagation();
}
