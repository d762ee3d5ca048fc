import type { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { legible } from '@firsthand/contract/base/color.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useId, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Switch } from '../../base/parts/choice.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section } from '../../base/parts/section.tsx';
import { OriginsField } from '../origins-field.tsx';
import { ReturnField } from '../return-field.tsx';
import { BrandSample } from './brand-sample.tsx';
import { type BrandInHand, useBrand } from './use-brand.ts';

interface BrandFormProps {
  brand: Brand | undefined;
  saving: { isPending: boolean; error: unknown };
  onSave: (slug: string, body: BrandInput) => void;
  onClose: () => void;
}

/** Name, logo and colours of one brand, beside how they look. */
export function BrandForm({ brand, saving, onSave, onClose }: BrandFormProps) {
  const { t } = useWords();
  const edited = useBrand(brand);
  const [tried, setTried] = useState(false);
  const { body, slug, logo } = edited;
  const { colored, accent, background } = edited.typed;
  const legibleColors = colored ? { accent: legible(accent, background), background } : undefined;
  return (
    <Section title={brand ? t('brand.editNamed', { name: brand.name }) : t('brands.new')}>
      <Form
        label={t('brand.save')}
        sending={saving}
        requests={[
          {
            label: t('brand.save'),
            to: `PUT /v1/brands/${slug || 'slug'}`,
            body: logo.base64 ? { ...body, logo_base64: '…' } : body,
          },
        ]}
        onSubmit={() => {
          setTried(true);
          if (edited.isRight) onSave(slug, body);
        }}
        onCancel={onClose}
      >
        <div className="brand-form">
          <Fields brand={brand} edited={edited} tried={tried} error={saving.error} />
          <BrandSample name={body.name || t('brand.name')} logo={logo.shown} colors={legibleColors} />
        </div>
      </Form>
    </Section>
  );
}

interface FieldsProps {
  brand: Brand | undefined;
  edited: BrandInHand;
  /** The person tried to save: faults are shown from then on. */
  tried: boolean;
  /** Why the service refused. */
  error: unknown;
}

function Fields({ brand, edited, tried, error }: FieldsProps) {
  const { t } = useWords();
  const { typed, set, slug, wrong } = edited;
  const refused = error instanceof ApiError ? error.fields.map(({ path }) => path) : [];
  return (
    <div className="stack">
      <Field
        label={t('brand.name')}
        value={typed.name}
        onChange={name => set({ name })}
        fault={tried && wrong.name ? t('brand.nameFault') : undefined}
        maxLength={120}
        autoFocus
      />
      {!brand && (
        <Field
          label={t('brand.slug')}
          hint={t('brand.slugHint')}
          value={slug}
          onChange={next => set({ slug: next })}
          fault={tried && wrong.slug ? t('brand.slugFault') : undefined}
          maxLength={40}
        />
      )}
      <Colors edited={edited} />
      <LogoField logo={edited.logo} isRefused={refused.includes('logo_base64')} />
      <OriginsField
        label={t('brand.origins')}
        hint={t('brand.originsHint')}
        value={typed.origins}
        onChange={origins => set({ origins })}
        wrong={tried ? wrong.origins : []}
      />
      <ReturnField value={typed.returnUrl} onChange={returnUrl => set({ returnUrl })} error={error} />
    </div>
  );
}

/** Own colours or none; says where the page shifts one, so that it stays legible. */
function Colors({ edited: { typed, set } }: { edited: BrandInHand }) {
  const { t } = useWords();
  const { colored, accent, background } = typed;
  const shifted = legible(accent, background);
  return (
    <>
      <Switch label={t('brand.ownColors')} on={colored} onChange={on => set({ colored: on })} />
      {colored && (
        <div className="pairs">
          <Color label={t('brand.accent')} value={accent} onChange={next => set({ accent: next })} />
          <Color label={t('brand.background')} value={background} onChange={next => set({ background: next })} />
        </div>
      )}
      {colored && shifted !== accent.toLowerCase() && (
        <p className="soft small">{t('brand.shifted', { color: shifted })}</p>
      )}
    </>
  );
}

function LogoField({ logo, isRefused }: { logo: BrandInHand['logo']; isRefused: boolean }) {
  const { t } = useWords();
  const fault = logo.fault ?? (isRefused ? t('picture.fault') : undefined);
  return (
    <>
      <label className="field">
        <span className="label">{t('brand.logo')}</span>
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp"
          className="input"
          onChange={event => void logo.take(event.target.files?.[0])}
        />
        <span className="hint">{t('brand.logoHint')}</span>
        {fault && <span className="fault">{fault}</span>}
      </label>
      {logo.shown !== undefined && (
        <div className="toolbar">
          <Button weight="plain" slim onPress={logo.remove}>
            {t('brand.noLogo')}
          </Button>
        </div>
      )}
    </>
  );
}

function Color({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="brand-color line">
        <input id={id} type="color" value={value} onChange={event => onChange(event.target.value)} />
        <code>{value}</code>
      </span>
    </div>
  );
}
