import { useWords } from '../../base/language.tsx';

/** The capture page's own colours by day, where a brand says nothing. */
export const ACCENT = '#0b7f83';
export const GROUND = '#f7f9fa';

interface BrandSampleProps {
  name: string;
  logo?: string | undefined;
  colors?: { accent: string; background?: string } | undefined;
}

/** The top of the capture page as a brand makes it. */
export function BrandSample({ name, logo, colors }: BrandSampleProps) {
  const { t } = useWords();
  return (
    <div
      className="brand-sample stack"
      aria-hidden="true"
      ref={element => {
        // A strict policy lets no style attribute through; a property set by script is none.
        element?.style.setProperty('--brand-accent', colors?.accent ?? ACCENT);
        element?.style.setProperty('--brand-ground', colors?.background ?? GROUND);
      }}
    >
      {logo === undefined ? <span className="brand-name">{name}</span> : <img src={logo} alt="" />}
      <span className="brand-button">{t('brand.sampleButton')}</span>
    </div>
  );
}
