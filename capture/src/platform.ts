/** Distinguishes browsers whose settings name the camera permission differently. Never used to decide whether a camera exists. */
export type Platform = {
  system: 'ios' | 'android' | 'desktop';
  browser: 'safari' | 'chrome' | 'firefox' | 'samsung' | 'edge' | 'other';
  /** The app that embeds this browser. */
  inApp?: string;
};

const IN_APP: [RegExp, string][] = [
  [/FBAN|FBAV|FB_IAB/, 'Facebook'],
  [/Instagram/, 'Instagram'],
  [/Line\//, 'LINE'],
  [/MicroMessenger/, 'WeChat'],
  [/LinkedInApp/, 'LinkedIn'],
  [/Snapchat/, 'Snapchat'],
  [/BytedanceWebview|musical_ly|TikTok/, 'TikTok'],
  [/GSA\//, 'Google'],
  [/Twitter/, 'X'],
  [/Telegram/, 'Telegram'],
];

export function platformOf(userAgent: string, maxTouchPoints = 0): Platform {
  // iPads identify as Macintosh, but no Mac has a touch screen.
  const ios = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  const android = /Android/.test(userAgent);
  const known = IN_APP.find(([pattern]) => pattern.test(userAgent))?.[1];
  // Detects a bare web view: Android marks it "; wv)"; on iOS it is WebKit without the word Safari.
  const webView = /; wv\)/.test(userAgent) || (ios && /AppleWebKit/.test(userAgent) && !/Safari\//.test(userAgent));
  const inApp = known ?? (webView ? '' : undefined);
  return {
    system: ios ? 'ios' : android ? 'android' : 'desktop',
    browser: browserOf(userAgent),
    ...(inApp === undefined ? {} : { inApp }),
  };
}

/**
 * True on a computer with a mouse or a touchpad. A tablet with such a system has a coarse pointer and a camera at its back; whether a
 * computer has one cannot be asked without permission.
 */
export const isComputer = ({ system, inApp }: Platform): boolean =>
  system === 'desktop' && inApp === undefined && matchMedia('(pointer: fine)').matches;

function browserOf(userAgent: string): Platform['browser'] {
  if (/SamsungBrowser/.test(userAgent)) return 'samsung';
  if (/Edg(e|A|iOS)?\//.test(userAgent)) return 'edge';
  if (/Firefox|FxiOS/.test(userAgent)) return 'firefox';
  if (/Chrome|CriOS/.test(userAgent)) return 'chrome';
  if (/Safari/.test(userAgent)) return 'safari';
  return 'other';
}
