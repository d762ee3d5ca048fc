/**
 * Ranks a phone's cameras by label; the main camera ranks first. Browsers reveal labels after permission. Labels are meant for people and
 * differ between systems, so they only rank and exclude nothing.
 */
export function rankLens(label: string): number {
  const text = label.toLowerCase();
  let rank = 0;
  if (/front|selfie|user|facetime|frontal|vorder|avant|delantera|frente/.test(text)) rank += 100;
  // A single wide lens is best close up: ultra wide distorts edges, telephoto cannot focus near.
  if (/ultra|fish|macro|desk view/.test(text)) rank += 20;
  if (/tele|zoom/.test(text)) rank += 20;
  if (/depth|infrared|\bir\b|mono|virtual/.test(text)) rank += 30;
  // iOS: "Back Dual Camera" and "Back Triple Camera" switch lenses on their own while the person frames.
  if (/dual|triple/.test(text)) rank += 5;
  // Android: "camera2 0, facing back" is the main lens, higher numbers the others.
  const number = /camera2?\s+(\d+)/.exec(text);
  if (number) rank += Math.min(9, Number(number[1]));
  return rank;
}

/** Returns the rear cameras, main lens first. Returns all cameras when no label says which way they face. */
export function backLenses<T extends { deviceId: string; label: string; kind: string }>(devices: readonly T[]): T[] {
  const cameras = devices.filter(device => device.kind === 'videoinput' && device.deviceId);
  const back = cameras.filter(camera => rankLens(camera.label) < 100);
  return (back.length > 0 ? back : cameras).slice().sort((a, b) => rankLens(a.label) - rankLens(b.label));
}
