import sharp from 'sharp';

export interface Drawing {
  /** CSS colour of the whole picture. */
  colour: string;
  /** Lines written on a white card in it. */
  text?: string[];
  /** Share 0..1 of the picture that is black, as damage. */
  black?: number;
  width?: number;
  height?: number;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A picture of one colour, with a card that holds text where asked for. JPEG. */
export function draw({ colour, text = [], black = 0, width = 1000, height = 750 }: Drawing): Promise<Buffer> {
  const lines = text.map((line, index) => `<text x="80" y="${170 + index * 80}">${escaped(line)}</text>`);
  const card =
    text.length > 0 ? `<rect x="50" y="90" width="${width - 100}" height="${text.length * 80 + 50}" fill="#fff"/>` : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="${colour}"/>
    <rect width="100%" y="${Math.round(height * (1 - black))}" height="${Math.round(height * black)}" fill="#000"/>
    ${card}<g font-family="DejaVu Sans, sans-serif" font-size="52" fill="#000">${lines.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 92 }).toBuffer();
}

/** A page of words in small print, as many as fit. The same page each time. JPEG. */
export function smallPrint({ side, letter }: { side: number; letter: number }): Promise<Buffer> {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const word = () => Array.from({ length: 2 + random(7) }, () => random(36).toString(36)).join('');
  const line = () => Array.from({ length: Math.ceil(side / (letter * 3)) }, word).join(' ');
  const lines = Array.from(
    { length: Math.floor(side / (letter * 1.4)) },
    (_, n) => `<text x="4" y="${Math.round((n + 1) * letter * 1.4)}">${line()}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">
    <rect width="100%" height="100%" fill="#fff"/>
    <g font-family="DejaVu Sans Mono, monospace" font-size="${letter}" fill="#000">${lines.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer();
}
