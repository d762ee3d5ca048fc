import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { NewPasskeyForm } from './new-passkey.tsx';

/** After the first sign-in by a link: a passkey, so that the next one needs no link. */
export function OfferPasskey({ onGo }: { onGo: () => void }) {
  const { t } = useWords();
  return (
    <>
      <div className="emblem">
        <Icon name="key" />
      </div>
      <PageTitle intro={t('offer.text')}>{t('offer.title')}</PageTitle>
      <NewPasskeyForm onAdded={onGo} />
      <Button weight="plain" onPress={onGo}>
        {t('offer.later')}
      </Button>
    </>
  );
}
