import type { Brand, BrandInput } from '@firsthand/contract/account/management.ts';
import { BRAND_LOGO_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { useState } from 'react';
import { base64Of } from '../../base/api/base64-of.ts';
import { useWords } from '../../base/language.tsx';
import { originsIn } from '../origins-field.tsx';
import { ACCENT, GROUND } from './brand-sample.tsx';

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);

/** What a person types of a brand. `slug` is empty until they choose another than the name gives. */
interface Typed {
  name: string;
  slug: string;
  colored: boolean;
  accent: string;
  background: string;
  origins: string;
  returnUrl: string;
}

/** A brand while a person edits it: what they typed, what is wrong with it, and the body that saves it. */
export function useBrand(brand: Brand | undefined) {
  const [typed, setTyped] = useState<Typed>({
    name: brand?.name ?? '',
    slug: brand?.slug ?? '',
    colored: brand ? brand.colors !== undefined : true,
    accent: brand?.colors?.accent ?? ACCENT,
    background: brand?.colors?.background ?? GROUND,
    origins: brand?.allowed_origins?.join('\n') ?? '',
    returnUrl: brand?.return_url ?? '',
  });
  const logo = useLogo(brand?.logo_url);
  const { colored, accent, background } = typed;
  const name = typed.name.trim();
  const slug = typed.slug === '' ? slugOf(typed.name) : typed.slug;
  const { origins, wrong: wrongOrigins } = originsIn(typed.origins);
  const body: BrandInput = {
    name,
    ...(logo.base64 === undefined ? {} : { logo_base64: logo.base64 }),
    ...(colored ? { colors: { accent, background } } : {}),
    ...(origins.length > 0 ? { allowed_origins: origins } : {}),
    ...(typed.returnUrl.trim() ? { return_url: typed.returnUrl.trim() } : {}),
  };
  const wrong = {
    name: name === '',
    slug: slug.length < 2 || slug.length > 40 || !SLUG.test(slug),
    origins: wrongOrigins,
  };
  return {
    typed,
    set: (change: Partial<Typed>) => setTyped(before => ({ ...before, ...change })),
    slug,
    logo,
    body,
    wrong,
    isRight: !wrong.name && !wrong.slug && wrongOrigins.length === 0,
  };
}

export type BrandInHand = ReturnType<typeof useBrand>;

/** The logo of a brand. `base64`: another one than before, null for none. */
function useLogo(before: string | undefined) {
  const { t } = useWords();
  const [other, setOther] = useState<{ base64: string | null; shown: string | undefined }>();
  const [fault, setFault] = useState<string>();
  return {
    base64: other?.base64,
    shown: other ? other.shown : before,
    fault,
    take: async (file: File | undefined) => {
      if (!file) return;
      if (file.size > BRAND_LOGO_MAX_BYTES)
        return setFault(t('brand.logoTooLarge', { n: BRAND_LOGO_MAX_BYTES / 1_024 }));
      setFault(undefined);
      setOther({ base64: await base64Of(file), shown: URL.createObjectURL(file) });
    },
    remove: () => setOther({ base64: null, shown: undefined }),
  };
}
