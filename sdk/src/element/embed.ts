// The script that the service hands out at /embed.js. It is wrapped into a function, so it works as a classic script and as a module.
import { defineFirsthandCapture } from './element.ts';

const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src$="/embed.js"]');
defineFirsthandCapture(script ? new URL('.', script.src).href : undefined);
