// Draws the sequence diagrams that the guides hold as Mermaid: participants, messages and loops (https://mermaid.js.org/syntax/sequenceDiagram.html).
const COLUMN = 230;
const ROW = 46;
const TOP = 60;
const MARGIN = 16;

/** @returns the drawing as HTML, or null for a diagram of another kind */
export function sequence(source: string, escapeHtml: (text: string) => string): string | null {
  const [kind, ...lines] = source
    .trim()
    .split('\n')
    .map(line => line.trim());
  if (kind !== 'sequenceDiagram') return null;
  const names: string[] = [];
  const columns = new Map<string, number>();
  const drawn: string[] = [];
  const said: string[] = [];
  const open: number[] = [];
  let y = TOP;
  const centre = (column: number) => MARGIN + (column + 0.5) * COLUMN;
  for (const line of lines) {
    const [, id, name] = /^participant (\w+)(?: as (.+))?$/.exec(line) ?? [];
    const [, from, arrow, to, text = ''] = /^(\w+)(--?>>)(\w+): (.+)$/.exec(line) ?? [];
    const [, loop] = /^loop (.+)$/.exec(line) ?? [];
    if (id) {
      columns.set(id, names.length);
      names.push(name ?? id);
    } else if (from && to) {
      const [a, b] = [columns.get(from)!, columns.get(to)!];
      y += ROW;
      const dashed = arrow === '-->>' ? ' stroke-dasharray="5 4"' : '';
      const end = centre(b) + (a < b ? -7 : 7);
      const path = a === b ? `M${centre(a)} ${y - 6}h30v14H${end}` : `M${centre(a)} ${y}H${end}`;
      const label =
        a === b
          ? `x="${centre(a) + 38}" y="${y + 5}"`
          : `x="${(centre(a) + centre(b)) / 2}" y="${y - 8}" text-anchor="middle"`;
      drawn.push(`<path d="${path}" marker-end="url(#head)"${dashed}/><text ${label}>${escapeHtml(text)}</text>`);
      said.push(`${names[a]} to ${names[b]}: ${text}`);
    } else if (loop) {
      y += ROW;
      open.push(y);
      drawn.push(`<text class="soft" x="${MARGIN + 12}" y="${y}">${escapeHtml(loop)}</text>`);
      said.push(`for ${loop}`);
    } else if (line === 'end') {
      const from = open.pop()! - 20;
      y += 22;
      drawn.push(`<rect x="${MARGIN}" y="${from}" width="${names.length * COLUMN}" height="${y - from}" rx="8"/>`);
    } else {
      throw new Error(`The site cannot draw this line of a sequence diagram: ${line}`);
    }
  }
  const [width, height] = [names.length * COLUMN + 2 * MARGIN, y + 24];
  const lives = names.map(
    (name, column) =>
      `<path class="life" d="M${centre(column)} ${TOP - 10}V${height}"/><text class="name" x="${centre(column)}" y="${TOP - 24}" text-anchor="middle">${escapeHtml(name)}</text>`,
  );
  const head =
    '<defs><marker id="head" viewBox="0 0 8 8" refX="1" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>';
  return `<div class="table" tabindex="0"><svg class="sequence" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(said.join('; '))}">${head}${lives.join('')}${drawn.join('')}</svg></div>\n`;
}
