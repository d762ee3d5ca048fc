import { useRef, useState } from 'react';
import { useWords } from '../language.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { SAMPLES, sampleOf, sampleText } from './samples.ts';
import { countOf, readSheet, type Sheet } from './sheet.ts';

/** The service takes no larger body. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_ROWS = 50_000;

/** Takes a list: chosen, dropped, or one of the samples. */
export function ChooseFile({ sheet, onChosen }: { sheet: Sheet | null; onChosen: (sheet: Sheet) => void }) {
  const { t, number } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setFault(t('batch.tooLarge', { n: MOST_BYTES / 1_048_576 }));
    const text = await file.text();
    const read = readSheet(file.name, text);
    if (!read || read.rows.length === 0) return setFault(t('batch.noRows'));
    if (countOf(read) > MOST_ROWS) return setFault(t('batch.tooMany', { n: number(MOST_ROWS) }));
    setFault(undefined);
    onChosen(read);
  };
  return (
    <section
      className="card drop"
      aria-label={t('batch.file')}
      data-over={over}
      data-chosen={sheet !== null}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
      }}
    >
      <Icon name="sheet" />
      {sheet ? (
        <p role="status">
          <strong>{sheet.name}</strong>
          <span className="soft"> · {t('batch.rows', { n: countOf(sheet) })}</span>
        </p>
      ) : (
        <p>{t('batch.drop')}</p>
      )}
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        className="unseen"
        tabIndex={-1}
        aria-label={t('batch.file')}
        onChange={event => {
          void take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button weight={sheet ? 'quiet' : 'main'} slim={sheet !== null} onPress={() => input.current?.click()}>
        {t(sheet ? 'batch.another' : 'batch.choose')}
      </Button>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      {!sheet && (
        <div className="samples">
          <span className="soft small">{t('batch.orSample')}</span>
          {SAMPLES.map(sample => (
            <Button key={sample} slim onPress={() => onChosen(sampleOf(sample))}>
              {t(`starter.${sample}`)}
            </Button>
          ))}
          <Button weight="plain" slim onPress={() => saveFile('firsthand-sample.csv', sampleText('claim'))}>
            <Icon name="download" />
            {t('batches.sample')}
          </Button>
        </div>
      )}
    </section>
  );
}
