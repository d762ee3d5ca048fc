import { useMemo } from 'react';
import { encode } from 'uqr';

/** A QR code, always dark on light: scanners want it so. */
export function Qr({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size: cells } = encode(text, { border: 2 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: squares.join(''), size: cells };
  }, [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
