/** What the browser is told to do is text: none of it runs here. */

/** Notes when the first row of a cluster is drawn and the page has answered a frame since; in ms since it was asked for. */
export const NOTE_FIRST_ROW = `window.firstRowMs = new Promise((done) => {
  const look = () => {
    if (!document.querySelector('tbody tr[data-index]')) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
  };
  look();
})`;

/** The same rows without anything: a loop over what the API says, written into a table. */
export const BARE_FLEET = `<!doctype html><title>Bare</title><table><tbody></tbody></table><script>
fetch('/fleet/clusters?offset=0&limit=100', { headers: { 'X-Crate-Console': '1' } })
  .then((response) => response.json())
  .then(({ rows }) => {
    document.querySelector('tbody').innerHTML = rows.map((row, index) =>
      '<tr data-index="' + index + '"><td>' + [row.health, row.name, row.namespace, row.version, row.region].join('<td>')).join('');
  });
</script>`;

/** As many rows at once as the fleet has, in a box that scrolls. */
export function bareRows(count: number): string {
  const row =
    '<tr style="height:56px"><td>Paused<td>cluster-000000<td>bench-000<td>v1.31.4<td>us-east-1<td>0 of 5<td>1 min';
  return `<!doctype html><title>Bare</title><body style="margin:0"><main style="height:100vh;overflow:auto"><table>${row.repeat(count)}</table></main>`;
}

/** Scrolls from the top to the end in \`frames\` frames; gives what lay between them, in ms. */
export function scrollThrough(frames: number): string {
  return `new Promise((done) => {
    const boxes = [...document.querySelectorAll('*')].filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY));
    const box = boxes.toSorted((a, b) => b.scrollHeight - a.scrollHeight)[0];
    const gaps = [];
    const step = (box.scrollHeight - box.clientHeight) / ${frames};
    let before;
    box.scrollTop = 0;
    const frame = (now) => {
      if (before !== undefined) gaps.push(now - before);
      before = now;
      box.scrollTop += step;
      if (gaps.length < ${frames}) requestAnimationFrame(frame);
      else done(gaps);
    };
    requestAnimationFrame(frame);
  })`;
}
