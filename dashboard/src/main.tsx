import { applyTheme } from '@firsthand/look/theme.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadLanguage } from './base/language.tsx';
import { readMe } from './entry/session/me.ts';
import { BASE } from './entry/session/return-to.ts';
import { Frame, loadPage } from './pages.tsx';

/** Whatever takes longer is shown when it is there. */
const WAIT_MS = 300;

/** Loads the words, who is signed in, the frame and the page at the same time, then renders them at once. */
async function start(): Promise<void> {
  const path = location.pathname.slice(BASE.length) || '/';
  const wanted = [loadLanguage()];
  if (!/^\/sign(ed)?-in/.test(path)) wanted.push(readMe(), Frame.load(), loadPage(path));
  await Promise.race([Promise.allSettled(wanted), new Promise(resolve => setTimeout(resolve, WAIT_MS))]);
  createRoot(document.getElementById('app')!).render(<App />);
}

applyTheme();
void start();
