import type { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Confirm } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/more.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Empty, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { isAtLeast } from '../../entry/shell/pages.ts';
import { BrandForm } from './brand-form.tsx';
import { BrandSample } from './brand-sample.tsx';
import './brands.css';

const BRANDS = ['brands'] as const;
type Editing = { slug: string; brand?: Brand };

const useBrands = () =>
  useInfiniteQuery({
    queryKey: [...BRANDS, 'pages'],
    queryFn: ({ signal, pageParam }) => call('GET /v1/brands', { signal, query: { limit: '50', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });

/** How the capture page looks to the people who get a link: name, logo and colours. */
export default function BrandsPage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const member = isAtLeast(tenant.role, 'member');
  const [editing, setEditing] = useState<Editing | null>(null);
  const brands = useBrands();
  const save = useSave(() => setEditing(null));
  const start = (next: Editing | null) => {
    save.reset();
    setEditing(next);
  };
  return (
    <>
      <div className="title-line">
        <PageTitle intro={t('brands.intro')}>{t('page.brands')}</PageTitle>
        <CurlMenu requests={[{ label: t('brands.list'), request: { method: 'GET', path: '/v1/brands' } }]} />
      </div>
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
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
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
  const say = useSay();
  return useAction(
    ({ slug, body }: { slug: string; body: BrandInput }) => call('PUT /v1/brands/:id', { id: slug, body }),
    {
      refreshes: [BRANDS],
      onDone: brand => {
        onSaved();
        say(t('brand.saved', { name: brand.name }));
      },
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
  const say = useSay();
  const [asking, setAsking] = useState(false);
  const { slug, name } = brand;
  const remove = useAction(() => call('DELETE /v1/brands/:id', { id: slug }), {
    refreshes: [BRANDS],
    onDone: () => {
      setAsking(false);
      say(t('brand.removed', { name }));
    },
  });
  const path = `/v1/brands/${slug}`;
  return (
    <li className="card brand-card">
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
            <Button weight="plain" slim aria-label={t('brand.removeNamed', { name })} onPress={() => setAsking(true)}>
              {t('common.remove')}
            </Button>
          </>
        )}
        <CurlMenu
          requests={[
            { label: t('brand.read'), request: { method: 'GET', path } },
            ...(onEdit ? [{ label: t('common.remove'), request: { method: 'DELETE' as const, path } }] : []),
          ]}
        />
      </div>
      {asking && (
        <Confirm
          title={t('brand.removeNamed', { name })}
          action={t('common.remove')}
          mutation={{ ...remove, mutate: () => remove.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('brand.removeText')}</p>
        </Confirm>
      )}
    </li>
  );
}
