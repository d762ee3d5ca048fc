/**
 * Which of a phone's cameras is the main one, by the labels browsers give once the camera is allowed. Labels are
 * words meant for people and differ by system, so they only rank; nothing is excluded.
 */
export function rankLens(label: string): number {
  const text = label.toLowerCase();
  let rank = 0;
  if (/front|selfie|user|facetime|frontal|vorder|avant|delantera|frente/.test(text)) rank += 100;
  // A single wide lens focuses and resolves best close up; ultra wide bends edges, telephoto cannot come near.
  if (/ultra|fish|macro|desk view/.test(text)) rank += 20;
  if (/tele|zoom/.test(text)) rank += 20;
  if (/depth|infrared|\bir\b|mono|virtual/.test(text)) rank += 30;
  // iOS: "Back Dual Camera", "Back Triple Camera" switch lenses by themselves while one frames.
  if (/dual|triple/.test(text)) rank += 5;
  // Android: "camera2 0, facing back" is the main lens, higher numbers the others.
  const number = /camera2?\s+(\d+)/.exec(text);
  if (number) rank += Math.min(9, Number(number[1]));
  return rank;
}

/** Cameras that face away from the person, main lens first. All of them where no label tells. */
export function backLenses<T extends { deviceId: string; label: string; kind: string }>(devices: readonly T[]): T[] {
  const cameras = devices.filter(device => device.kind === 'videoinput' && device.deviceId);
  const back = cameras.filter(camera => rankLens(camera.label) < 100);
  return (back.length > 0 ? back : cameras).slice().sort((a, b) => rankLens(a.label) - rankLens(b.label));
}
