import type { IconName } from '@firsthand/look/drawings.ts';
import { Icon, Logo } from '@firsthand/look/marks.tsx';
import type { ComponentChildren, ComponentProps, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isLanguage, LANGUAGES } from '../i18n.ts';
import { usePage } from '../page-context.ts';

/** Moves the focus to the heading when the screen changes, so that screen readers read it and Tab starts there. */
export function useScreen(title: string): { current: HTMLHeadingElement | null } {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the browser paints: a key pressed as the screen appears must not go to the page before.
  useLayoutEffect(() => {
    scrollTo(0, 0);
    // Not on the first screen, where screen readers start at the top of the page anyway.
    if (document.documentElement.dataset.visited) heading.current?.focus({ preventScroll: true });
    document.documentElement.dataset.visited = 'yes';
  }, []);
  useEffect(() => {
    document.title = `${title} · Firsthand`;
  }, [title]);
  return heading;
}

type ScreenProps = {
  name: string;
  title: string;
  /** An icon above the title. */
  sign?: { icon: IconName; tone?: 'info' | 'verified' | 'doubtful' | 'failed' };
  lead?: string;
  children?: ComponentChildren;
  /** The next actions, at the bottom within reach of the thumb. */
  actions?: ComponentChildren;
  onBack?: (() => void) | undefined;
  kicker?: string | undefined;
};

/** A screen with one task: heading, lead sentence, content, and the main button at the bottom. */
export function Screen({ name, title, sign, lead, children, actions, onBack, kicker }: ScreenProps): JSX.Element {
  const heading = useScreen(title);
  const { t, trial } = usePage();
  return (
    <div class={`screen screen-${name}`} data-screen={name}>
      <header class="bar">
        {onBack && (
          <button type="button" class="round" onClick={onBack} aria-label={t('common.back')}>
            <Icon name="back" class="flips" />
          </button>
        )}
        <BrandMark />
        {!onBack && <LanguageSwitch />}
      </header>
      <main>
        <div class="body stack">
          {trial && <p class="banner doubtful">{t('trial.note')}</p>}
          {sign && (
            <div class={`sign ${sign.tone ?? 'info'}`}>
              <Icon name={sign.icon} />
            </div>
          )}
          {kicker && <p class="kicker">{kicker}</p>}
          <h1 id="screen-title" ref={heading} tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {lead && <p class="lead">{lead}</p>}
          {children}
        </div>
        {actions && <div class="actions stack">{actions}</div>}
      </main>
    </div>
  );
}

/** The logo of the requesting brand, or ours if there is none. */
export function BrandMark(): JSX.Element {
  const { brand } = usePage();
  if (!brand) return <Logo />;
  return (
    <span class="brand">
      {brand.logo_url && <img src={brand.logo_url} alt="" height="32" />}
      <span>{brand.name}</span>
    </span>
  );
}

export function LanguageSwitch(): JSX.Element {
  const { t, language, setLanguage } = usePage();
  return (
    <label class="language">
      <Icon name="globe" />
      <span class="unseen">{t('common.language')}</span>
      <select
        value={language}
        onChange={event => {
          const { value } = event.currentTarget;
          if (isLanguage(value)) setLanguage(value);
        }}
      >
        {Object.entries(LANGUAGES).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

type PressProps = Pick<ComponentProps<'button'>, 'onClick' | 'disabled' | 'aria-disabled'> & {
  /** `quiet`: not the next thing to do. `plain`: on the way. */
  look?: 'quiet' | 'plain';
  children: ComponentChildren;
};

/** A button that does something at once. */
export const Press = ({ look, children, ...props }: PressProps): JSX.Element => (
  <button type="button" class={`button ${look ?? ''}`} {...props}>
    {children}
  </button>
);

/** Leaves a step out, where it may be left out. */
export function Skip({ onSkip }: { onSkip: (() => void) | undefined }): JSX.Element | null {
  const { t } = usePage();
  if (!onSkip) return null;
  return (
    <Press look="plain" onClick={onSkip}>
      {t('common.skip')}
    </Press>
  );
}

/** A file input that looks like a button. The input itself takes the focus, and the button text is its label. */
export function FileButton(props: {
  label: string;
  accept: string;
  multiple?: boolean;
  camera?: boolean;
  quiet?: boolean;
  icon?: IconName;
  onFiles: (files: File[]) => void;
}): JSX.Element {
  return (
    <label class={`button file ${props.quiet ? 'quiet' : ''}`}>
      {props.icon && <Icon name={props.icon} />}
      <span>{props.label}</span>
      <input
        type="file"
        accept={props.accept}
        multiple={props.multiple ?? false}
        {...(props.camera ? { capture: 'environment' } : {})}
        onChange={event => {
          const files = [...(event.currentTarget.files ?? [])];
          // Resets the input, so that choosing the same file again fires a change event.
          event.currentTarget.value = '';
          if (files.length > 0) props.onFiles(files);
        }}
      />
    </label>
  );
}

interface NoteProps {
  icon: IconName;
  title?: string;
  children: ComponentChildren;
}

export function Note({ icon, title, children }: NoteProps): JSX.Element {
  return (
    <div class="note">
      <Icon name={icon} />
      <div>
        {title && <h2>{title}</h2>}
        <p class="soft">{children}</p>
      </div>
    </div>
  );
}
