import { Link } from 'wouter';
import { shortId } from '../case-name.ts';
import { useWords } from '../language.tsx';

/** Leads to a verification, by its name with the end of its id. */
export function CaseLink({ id, name }: { id: string; name: string | undefined }) {
  const { t } = useWords();
  return (
    <Link href={`/verifications/${id}`}>
      {name || t('case.unnamed')} <code className="soft small">{shortId(id)}</code>
    </Link>
  );
}
