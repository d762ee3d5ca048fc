import { type CaptureErrorCode, type CaptureEvent, isCaptureMessage, type ResizeEvent } from './messages.ts';

export type { CaptureErrorCode, CaptureEvent, CaptureStepName } from './messages.ts';

const NAME = 'firsthand-capture';
/** `magnetometer` and others stay off: the page asks for none. */
const ALLOW = 'camera; geolocation; gyroscope; accelerometer; screen-wake-lock; clipboard-write';
/** A page that was refused loads as fast as one that was not, and stays silent. */
const SILENCE_MS = 15_000;
/** Height of the frame until the page says its own. */
const FIRST_HEIGHT = 560;
/** Height of the camera, by its width: a phone held upright, and no higher than a hand on a desk. */
const CAMERA = { perWidth: 1.6, least: 420, most: 760 };

type Detail<T extends CaptureEvent['type']> = Omit<Extract<CaptureEvent, { type: T }>, 'type'>;

/** The events of the element. They do not bubble. */
export type FirsthandCaptureEventMap = { [T in CaptureEvent['type']]: CustomEvent<Detail<T>> };

// Importing this file on a server, which has no HTMLElement, must not throw.
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {};

/**
 * `<firsthand-capture token="vfy_…" base-url="https://photos.example.com">`: the capture page in a frame that grows with it. Attributes:
 * `token`, `base-url` (default: where the script came from), `return-url`, `language`, `label` (the frame's name for screen readers).
 */
export class FirsthandCapture extends Base {
  static readonly observedAttributes = ['token', 'base-url', 'return-url', 'language', 'label'];
  /** Used without a `base-url`. */
  static defaultBaseUrl = '';

  #frame: HTMLIFrameElement | undefined;
  #origin = '';
  #address = '';
  #size: ResizeEvent = { type: 'resize', height: FIRST_HEIGHT, fill: false };
  #silence: ReturnType<typeof setTimeout> | undefined;
  /** The visit began, and has not ended. */
  #visiting = false;

  connectedCallback(): void {
    addEventListener('message', this.#onMessage);
    addEventListener('resize', this.#fit);
    this.#show();
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#onMessage);
    removeEventListener('resize', this.#fit);
    this.#remove();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#show();
  }

  #remove(): void {
    clearTimeout(this.#silence);
    this.#frame?.remove();
    this.#frame = undefined;
    this.#address = '';
    if (this.#visiting) this.#say({ type: 'abandoned' });
  }

  #show(): void {
    const address = this.#addressOf();
    if (this.#frame) this.#frame.title = this.#label;
    if (address === this.#address) return;
    this.#remove();
    if (!address) return;
    this.#address = address;
    this.#origin = new URL(address).origin;
    this.#size = { type: 'resize', height: FIRST_HEIGHT, fill: false };
    const frame = document.createElement('iframe');
    frame.allow = ALLOW;
    frame.title = this.#label;
    // Set one by one: a policy of the page around may forbid style attributes.
    const { style } = frame;
    [style.display, style.width, style.border, style.colorScheme] = ['block', '100%', '0', 'normal'];
    frame.addEventListener('load', () => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => this.#fail('not_loaded'), SILENCE_MS);
    });
    frame.src = address;
    this.style.display ||= 'block';
    this.#frame = frame;
    this.#fit();
    (this.shadowRoot ?? this.attachShadow({ mode: 'open' })).replaceChildren(frame);
  }

  get #label(): string {
    return this.getAttribute('label') ?? 'Photos';
  }

  /** Empty where there is nothing to show yet. */
  #addressOf(): string {
    const token = this.getAttribute('token');
    const base = this.getAttribute('base-url') ?? FirsthandCapture.defaultBaseUrl;
    if (!token || !/^https?:/.test(base)) return '';
    const url = new URL(`v/${encodeURIComponent(token)}`, base.replace(/\/*$/, '/'));
    const { searchParams } = url;
    searchParams.set('embed', location.origin);
    const returnUrl = this.getAttribute('return-url');
    if (returnUrl) searchParams.set('return_url', new URL(returnUrl, location.href).href);
    const language = this.getAttribute('language');
    if (language) searchParams.set('lang', language);
    return url.href;
  }

  #onMessage = ({ origin, source, data }: MessageEvent): void => {
    const frame = this.#frame;
    if (!frame || source !== frame.contentWindow || origin !== this.#origin || !isCaptureMessage(data)) return;
    clearTimeout(this.#silence);
    if (data.type === 'resize') {
      const opens = data.fill && !this.#size.fill;
      this.#size = data;
      this.#fit();
      // The whole camera is in view, shutter included.
      if (opens) this.scrollIntoView({ block: 'nearest' });
      return;
    }
    const { source: _, version: __, ...event } = data;
    this.#say(event);
    // A new screen begins at its top.
    if (event.type === 'step' && this.getBoundingClientRect().top < 0) this.scrollIntoView({ block: 'start' });
  };

  #fit = (): void => {
    if (!this.#frame) return;
    const { height, fill } = this.#size;
    const camera = Math.min(CAMERA.most, Math.max(CAMERA.least, this.clientWidth * CAMERA.perWidth));
    this.#frame.style.height = `${fill ? Math.min(innerHeight, camera) : height}px`;
  };

  #fail(code: CaptureErrorCode): void {
    this.#say({ type: 'error', code });
  }

  override addEventListener<T extends keyof FirsthandCaptureEventMap>(
    type: T,
    listener: (event: FirsthandCaptureEventMap[T]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options);
  }

  #say({ type, ...detail }: CaptureEvent): void {
    if (type === 'ready') this.#visiting = true;
    if (type === 'completed' || type === 'abandoned' || type === 'error') this.#visiting = false;
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'firsthand-capture': FirsthandCapture;
  }
}

/** Defines `<firsthand-capture>`; the second call does nothing. `baseUrl`: the service's address, for elements without a `base-url`. */
export function defineFirsthandCapture(baseUrl?: string): void {
  if (baseUrl) FirsthandCapture.defaultBaseUrl = baseUrl;
  if (!globalThis.customElements?.get(NAME)) globalThis.customElements?.define(NAME, FirsthandCapture);
}
