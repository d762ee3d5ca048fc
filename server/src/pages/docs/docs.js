// Starts the reference on the page. `Scalar` comes from the script before this one.
Scalar.createApiReference('#reference', {
  url: document.querySelector('#reference').dataset.document,
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  documentDownloadType: 'none',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenAllTags: false,
  operationTitleSource: 'summary',
  orderSchemaPropertiesBy: 'preserve',
  persistAuth: false,
  hideDarkModeToggle: true,
  authentication: { preferredSecurityScheme: 'publishable_key' },
});

// Parts above the one that the address names load later and push it away. It is brought back until the reader acts.
const WATCH_MS = 20_000;
const CHECK_MS = 250;
let watching;
function watchPlace() {
  const id = decodeURIComponent(location.hash.slice(1));
  const until = performance.now() + WATCH_MS;
  clearInterval(watching);
  if (id === '') return;
  watching = setInterval(() => {
    if (performance.now() > until) clearInterval(watching);
    // The id of a part begins with the document's name.
    const part = document.querySelector(`[id$="/${CSS.escape(id)}"]`);
    const top = part?.getBoundingClientRect().top;
    if (top < 0 || top > innerHeight / 2) part.scrollIntoView();
  }, CHECK_MS);
}
for (const act of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
  addEventListener(act, () => clearInterval(watching), { capture: true, passive: true });
}
addEventListener('hashchange', watchPlace);
watchPlace();
