import type { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/rows.tsx';
import { TitleLine } from '../../base/parts/section.tsx';
import { Empty, Read } from '../../base/parts/states.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay } from '../../entry/session/signed-in.ts';
import { BrandForm } from './brand-form.tsx';
import { BrandSample } from './brand-sample.tsx';
import './brands.css';

const BRANDS = ['brands'] as const;
type Editing = { slug: string; brand?: Brand };

/** How the capture page looks to the people who get a link: name, logo and colours. */
export default function BrandsPage() {
  const { t } = useWords();
  const member = useMay('member');
  const [editing, setEditing] = useState<Editing | null>(null);
  const brands = useList([...BRANDS, 'pages'], 'GET /v1/brands');
  const save = useSave(() => setEditing(null));
  const start = (next: Editing | null) => {
    save.reset();
    setEditing(next);
  };
  return (
    <>
      <TitleLine
        title={t('page.brands')}
        intro={t('brands.intro')}
        requests={[{ label: t('brands.list'), to: 'GET /v1/brands' }]}
      />
      {member && !editing && (
        <div className="toolbar">
          <Button weight="main" onPress={() => start({ slug: '' })}>
            <Icon name="plus" />
            {t('brands.new')}
          </Button>
        </div>
      )}
      {editing && (
        <BrandForm
          key={editing.slug}
          brand={editing.brand}
          saving={save}
          onSave={(slug, body) => save.mutate({ slug, body })}
          onClose={() => start(null)}
        />
      )}
      <Read query={brands}>
        {all => {
          if (all.length === 0) return editing ? null : <NoBrands />;
          return (
            <>
              <ul className="brand-list">
                {all.map(brand => (
                  <Card
                    key={brand.slug}
                    brand={brand}
                    {...(member ? { onEdit: () => start({ slug: brand.slug, brand }) } : {})}
                  />
                ))}
              </ul>
              <More list={brands} />
            </>
          );
        }}
      </Read>
    </>
  );
}

function useSave(onSaved: () => void) {
  const { t } = useWords();
  return useAction(
    ({ slug, body }: { slug: string; body: BrandInput }) => call('PUT /v1/brands/:id', { id: slug, body }),
    {
      refreshes: [BRANDS],
      says: ({ name }) => t('brand.saved', { name }),
      onDone: onSaved,
    },
  );
}

function NoBrands() {
  const { t } = useWords();
  return (
    <Empty icon="brand" title={t('brands.none')}>
      <p>{t('brands.noneText')}</p>
    </Empty>
  );
}

function Card({ brand, onEdit }: { brand: Brand; onEdit?: () => void }) {
  const { t } = useWords();
  const { slug, name } = brand;
  const path = `/v1/brands/${slug}`;
  return (
    <li className="card brand-card stack">
      <BrandSample name={name} logo={brand.logo_url} colors={brand.worn_colors} />
      <div className="brand-facts">
        <h2>{name}</h2>
        <code className="soft">{slug}</code>
      </div>
      <div className="toolbar">
        {onEdit && (
          <>
            <Button slim aria-label={t('brand.editNamed', { name })} onPress={onEdit}>
              {t('brand.edit')}
            </Button>
            <Ask
              label={t('common.remove')}
              named={t('brand.removeNamed', { name })}
              slim
              title={t('brand.removeNamed', { name })}
              text={t('brand.removeText')}
              run={() => call('DELETE /v1/brands/:id', { id: slug })}
              refreshes={[BRANDS]}
              says={() => t('brand.removed', { name })}
            />
          </>
        )}
        <CurlMenu
          requests={[
            { label: t('brand.read'), to: `GET ${path}` },
            ...(onEdit ? [{ label: t('common.remove'), to: `DELETE ${path}` }] : []),
          ]}
        />
      </div>
    </li>
  );
}
