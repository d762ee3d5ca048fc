import { qrOf } from '@firsthand/look/qr.ts';
import { useEffect, useState } from 'react';

/** A QR code, always dark on light: scanners want it so. */
export function Qr({ text, label }: { text: string; label: string }) {
  const [{ path, size }, setCode] = useState({ path: '', size: 1 });
  useEffect(() => {
    let shown = true;
    void qrOf(text).then(code => shown && setCode(code));
    return () => {
      shown = false;
    };
  }, [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
