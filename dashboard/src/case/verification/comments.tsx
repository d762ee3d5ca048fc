import { COMMENT_MAX } from '@firsthand/contract/base/limits.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Choose } from '../../base/parts/choose.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Ago } from '../../base/parts/shown.tsx';
import { Read } from '../../base/parts/states.tsx';
import { useDraft } from '../../entry/session/draft.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useMay, useSignedIn } from '../../entry/session/signed-in.ts';
import { usePeople } from './assign-to.tsx';

const COMMENTS = (id: string) => ['comments', id] as const;

/** What people of the account write to each other about a case. */
export function Comments({ id, isErased }: { id: string; isErased: boolean }) {
  const { t } = useWords();
  const comments = useRead(COMMENTS(id), 'GET /v1/verifications/:id/comments', { id });
  const mayWrite = useMay('reviewer') && !isErased;
  return (
    <Section title={t('comments.title')} intro={t('comments.intro')}>
      <Read query={comments}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft small">{t('comments.none')}</p>
          ) : (
            <ul className="rows comments">
              {data.map(comment => (
                <li key={comment.id} className="row">
                  <div className="row-main">
                    <span className="line">
                      <strong>{comment.by.name}</strong>
                      <span className="soft small">
                        <Ago at={comment.created_at} />
                      </span>
                    </span>
                    <p className="comment-text">{comment.text}</p>
                    {comment.mentions.length > 0 && (
                      <span className="soft small">
                        {t('comments.to', { names: comment.mentions.map(({ name }) => name).join(', ') })}
                      </span>
                    )}
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Read>
      {mayWrite && <Write id={id} />}
    </Section>
  );
}

function Write({ id }: { id: string }) {
  const { t } = useWords();
  const me = useSignedIn().person.id;
  const people = usePeople().filter(person => person.id !== me);
  const draft = useDraft(me, `comment:${id}`, { text: '' });
  const [text, setText] = useState(draft.kept.text);
  const [mentions, setMentions] = useState<string[]>([]);
  const body = { text, mentions };
  const keep = (next: string) => {
    setText(next);
    draft.keep({ text: next });
  };
  const send = useAction(() => call('POST /v1/verifications/:id/comments', { id, body }), {
    refreshes: [COMMENTS(id)],
    onDone: () => {
      setText('');
      setMentions([]);
      draft.forget();
    },
  });
  return (
    <Form label={t('comments.send')} sending={send} onSubmit={() => text.trim() && send.mutate()}>
      <label className="field">
        <span className="label">{t('comments.text')}</span>
        <textarea
          className="input"
          rows={3}
          maxLength={COMMENT_MAX}
          value={text}
          onChange={event => keep(event.target.value)}
        />
      </label>
      {people.length > 0 && (
        <div>
          <Choose
            label={t('comments.mention')}
            values={people.map(person => person.id)}
            nameOf={value => people.find(person => person.id === value)?.name ?? ''}
            chosen={mentions}
            onChange={setMentions}
          />
        </div>
      )}
    </Form>
  );
}
