type Turnstile = {
  render(
    element: HTMLElement,
    options: {
      sitekey: string;
      execution: 'execute';
      appearance: 'interaction-only';
      callback: (token: string) => void;
      'error-callback': () => void;
      'timeout-callback': () => void;
    },
  ): string;
  execute(widget: string): void;
  reset(widget: string): void;
};

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
/** Attestation is optional evidence. After this time the capture is sent without it. */
const PATIENCE_MS = 8_000;

let loading: Promise<Turnstile> | undefined;

function load(): Promise<Turnstile> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.onload = () => {
      const { turnstile } = globalThis as { turnstile?: Turnstile };
      if (turnstile) resolve(turnstile);
      else reject(new Error('Turnstile did not start.'));
    };
    script.onerror = () => {
      loading = undefined;
      reject(new Error('Turnstile could not be loaded.'));
    };
    document.head.append(script);
  });
  return loading;
}

/** Gets a single-use Cloudflare Turnstile token; undefined when none arrives in time. */
export function createAttestation(siteKey: string): () => Promise<string | undefined> {
  let widget: string | undefined;
  let settle: (token: string | undefined) => void = () => {};
  return () =>
    new Promise<string | undefined>(resolve => {
      const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
      settle = token => {
        clearTimeout(timer);
        resolve(token);
      };
      load()
        .then(turnstile => {
          if (widget === undefined) {
            const host = document.createElement('div');
            host.className = 'turnstile';
            document.body.append(host);
            widget = turnstile.render(host, {
              sitekey: siteKey,
              execution: 'execute',
              appearance: 'interaction-only',
              callback: token => settle(token),
              'error-callback': () => settle(undefined),
              'timeout-callback': () => settle(undefined),
            });
          } else {
            turnstile.reset(widget);
          }
          turnstile.execute(widget);
        })
        .catch(() => settle(undefined));
    });
}
