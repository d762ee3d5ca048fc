import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMarkdown, hrefsOf, sectionsOf } from './markdown.ts';

const { render } = createMarkdown((source, href) => `[${source}:${href}]`);
const html = (...lines: string[]) => render(lines.join('\n'), 'docs/a.md');

describe('createMarkdown', () => {
  it('passes every address through linkOf: links, pictures, HTML', () => {
    const text =
      '[a](b.md#c) ![d](e.png)\n\n<img src="f.png" alt="">\n\n| | |\n|---|---|\n| <img src="g.png"> | [h](i.md) |';
    expect([...render(text, 'docs/a.md').matchAll(/\[docs\/a\.md:(.+?)\]/g)].map(([, href]) => href)).toEqual(
      hrefsOf(text),
    );
    expect(hrefsOf(text)).toEqual(['b.md#c', 'e.png', 'f.png', 'g.png', 'i.md']);
  });

  it('makes tabs of blocks in several languages that follow each other, with comments between', () => {
    const shown = html('```sh', 'a', '```', '', '<!-- not run: why -->', '', '```python', 'b', '```');
    expect(shown.match(/data-tab="\w+"/g)).toEqual(['data-tab="curl"', 'data-tab="Python"']);
    expect(shown).not.toContain('not run');
    expect(html('```sh', 'a', '```', '', 'then', '', '```ts', 'b', '```')).not.toContain('data-tab');
    expect(html('```sh', 'a', '```', '', '```sh', 'b', '```')).not.toContain('data-tab');
  });

  it('makes a nameless cell of a head no heading', () => {
    expect(html('| | a |', '|---|---|', '| b | c |').match(/<t[hd]>/g)).toEqual(['<td>', '<th>', '<td>', '<td>']);
  });

  it('gives a row that begins with a code the code as its id, once in a page', () => {
    const shown = html(
      '## b_c',
      '',
      '| a | |',
      '|---|---|',
      '| `d` | x |',
      '| `b_c` | x |',
      '| `d` | x |',
      '| `e` f | x |',
    );
    expect(shown.match(/ id="[^"]*"/g)).toEqual([' id="b_c"', ' id="d"']);
  });

  it('gives every error code of docs/errors.md its id', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const codes = [...page.matchAll(/^\| `(\w+)` \| \d{3} \|/gm)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(20);
    for (const code of codes)
      expect(render(page, 'docs/errors.md')).toContain(`<tr id="${code}">\n<td><code>${code}</code></td>\n<td>`);
  });

  it('draws a sequence diagram, and refuses a line that it cannot draw', () => {
    const diagram = [
      '```mermaid',
      'sequenceDiagram',
      'participant A',
      'participant B as The <b>',
      'loop x',
      'A->>B: hello',
      'end',
    ];
    expect(html(...diagram, '```')).toContain('aria-label="for x; A to The &lt;b&gt;: hello"');
    expect(() => html(...diagram, 'Note over A: no', '```')).toThrow('Note over A');
  });
});

describe('sectionsOf', () => {
  it('gives each heading its text and the anchor that GitHub gives it', () => {
    const sections = sectionsOf(
      '# One\n\na `b`\n\n## `x.y` & z\n\n```sh\nrun\n```\n\n## One\n\n| c | d |\n|---|---|\n| e | f |',
    );
    expect(sections).toEqual([
      { heading: 'One', level: 1, id: 'one', text: 'a b\n' },
      { heading: 'x.y & z', level: 2, id: 'xy--z', text: 'run\n\n' },
      { heading: 'One', level: 2, id: 'one-1', text: 'c\nd\ne\nf\n' },
    ]);
  });
});
