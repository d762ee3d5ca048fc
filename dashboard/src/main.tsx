import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './theme.ts';

applyTheme();
createRoot(document.getElementById('app')!).render(<App />);
