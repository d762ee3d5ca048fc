import type { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { legible } from '@firsthand/contract/base/color.ts';
import { BRAND_LOGO_MAX_BYTES, URL_MAX } from '@firsthand/contract/base/limits.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useId, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { OriginsField, originsIn } from '../origins-field.tsx';
import { ACCENT, BrandSample, GROUND } from './brand-sample.tsx';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LOGO_MOST_BYTES = BRAND_LOGO_MAX_BYTES;

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });

/** Name, logo and colours of one brand, beside how they look. */
export function BrandForm({
  brand,
  act,
  onSave,
  onClose,
}: {
  brand: Brand | undefined;
  act: { isPending: boolean; error: unknown };
  onSave: (slug: string, body: BrandInput) => void;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [name, setName] = useState(brand?.name ?? '');
  const [slug, setSlug] = useState(brand?.slug ?? '');
  const [colored, setColored] = useState(brand ? brand.colors !== undefined : true);
  const [accent, setAccent] = useState(brand?.colors?.accent ?? ACCENT);
  const [background, setBackground] = useState(brand?.colors?.background ?? GROUND);
  const [logo, setLogo] = useState<{ base64: string | null; shown: string | undefined } | null>(null);
  const [logoFault, setLogoFault] = useState<string>();
  const [originText, setOriginText] = useState(brand?.allowed_origins?.join('\n') ?? '');
  const [returnUrl, setReturnUrl] = useState(brand?.return_url ?? '');
  const [tried, setTried] = useState(false);
  const chosen = slug === '' ? slugOf(name) : slug;
  const wrongSlug = chosen.length < 2 || chosen.length > 40 || !SLUG.test(chosen);
  const wrongName = name.trim() === '';
  const refused = act.error instanceof ApiError ? act.error.fields?.map(({ path }) => path) : undefined;
  const { origins, wrong: wrongOrigins } = originsIn(originText);
  const body: BrandInput = {
    name: name.trim(),
    ...(logo ? { logo_base64: logo.base64 } : {}),
    ...(colored ? { colors: { accent, background } } : {}),
    ...(origins.length > 0 ? { allowed_origins: origins } : {}),
    ...(returnUrl.trim() ? { return_url: returnUrl.trim() } : {}),
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > LOGO_MOST_BYTES) return setLogoFault(t('brand.logoTooLarge', { n: LOGO_MOST_BYTES / 1_024 }));
    setLogoFault(undefined);
    setLogo({ base64: await base64Of(file), shown: URL.createObjectURL(file) });
  };
  const worn = colored ? { accent: legible(accent, background), background } : undefined;
  const shownLogo = logo ? logo.shown : brand?.logo_url;
  return (
    <Section title={brand ? t('brand.editNamed', { name: brand.name }) : t('brands.new')}>
      <form
        className="brand-form"
        onSubmit={event => {
          event.preventDefault();
          setTried(true);
          if (!wrongSlug && !wrongName && wrongOrigins.length === 0) onSave(chosen, body);
        }}
      >
        <div className="stack">
          <Field
            label={t('brand.name')}
            value={name}
            onChange={setName}
            fault={tried && wrongName ? t('brand.nameFault') : undefined}
            maxLength={120}
            autoFocus
          />
          {!brand && (
            <Field
              label={t('brand.slug')}
              hint={t('brand.slugHint')}
              value={slug === '' ? chosen : slug}
              onChange={setSlug}
              fault={tried && wrongSlug ? t('brand.slugFault') : undefined}
              maxLength={40}
            />
          )}
          <label className="switch">
            <input type="checkbox" checked={colored} onChange={event => setColored(event.target.checked)} />
            <span>{t('brand.ownColors')}</span>
          </label>
          {colored && (
            <div className="pairs">
              <Color label={t('brand.accent')} value={accent} onChange={setAccent} />
              <Color label={t('brand.background')} value={background} onChange={setBackground} />
            </div>
          )}
          {worn && worn.accent !== accent.toLowerCase() && (
            <p className="soft small">{t('brand.shifted', { color: worn.accent })}</p>
          )}
          <label className="field">
            <span className="label">{t('brand.logo')}</span>
            <input
              type="file"
              accept="image/png,image/jpeg,image/webp"
              className="input"
              onChange={event => void take(event.target.files?.[0])}
            />
            <span className="hint">{t('brand.logoHint')}</span>
            {(logoFault ?? (refused?.includes('logo_base64') && t('brand.logoFault'))) && (
              <span className="fault">{logoFault ?? t('brand.logoFault')}</span>
            )}
          </label>
          {shownLogo !== undefined && (
            <div className="toolbar">
              <Button weight="plain" slim onPress={() => setLogo({ base64: null, shown: undefined })}>
                {t('brand.noLogo')}
              </Button>
            </div>
          )}
          <OriginsField
            label={t('brand.origins')}
            hint={t('brand.originsHint')}
            value={originText}
            onChange={setOriginText}
            wrong={tried ? wrongOrigins : []}
          />
          <Field
            label={t('return.label')}
            hint={t('return.hint')}
            value={returnUrl}
            onChange={setReturnUrl}
            fault={tried && refused?.includes('return_url') ? t('return.fault') : undefined}
            maxLength={URL_MAX}
            input={{ inputMode: 'url' }}
          />
        </div>
        <BrandSample name={name.trim() || t('brand.name')} logo={shownLogo} colors={worn} />
        <div className="brand-end">
          <Problem error={act.error} />
          <div className="actions">
            <CurlMenu
              acts={[
                {
                  label: t('brand.save'),
                  request: {
                    method: 'PUT',
                    path: `/v1/brands/${chosen || 'slug'}`,
                    body: logo?.base64 ? { ...body, logo_base64: '…' } : body,
                  },
                },
              ]}
            />
            <Button onPress={onClose}>{t('common.cancel')}</Button>
            <Button weight="main" type="submit" busy={act.isPending}>
              {t('brand.save')}
            </Button>
          </div>
        </div>
      </form>
    </Section>
  );
}

function Color({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="brand-color">
        <input id={id} type="color" value={value} onChange={event => onChange(event.target.value)} />
        <code>{value}</code>
      </span>
    </div>
  );
}
