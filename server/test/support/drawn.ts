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
