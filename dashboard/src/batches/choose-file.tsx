import {
  decoded,
  encodingOf,
  GUESSED_ENCODINGS,
  type Reading,
  type SheetEncoding,
} from '@firsthand/contract/sheet/encoding.ts';
import { SheetFault } from '@firsthand/contract/sheet/read-sheet.ts';
import { useRef, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { saveFile } from '../base/parts/save-file.ts';
import { SelectField } from '../base/parts/select-field.tsx';
import { SAMPLES, sampleOf, sampleText } from './samples.ts';
import { readSheet, type Sheet } from './sheet.ts';

/** The service takes no larger body. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_ROWS = 50_000;

/** A file whose encoding was guessed: the person may know better. */
interface Guessed {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  encoding: SheetEncoding;
}

interface ChooseFileProps {
  sheet: Sheet | null;
  onChosen: (sheet: Sheet) => void;
}

/** Reads a file and hands its sheet on, or says what is wrong with it. */
function useReading(onChosen: ChooseFileProps['onChosen']) {
  const { t, number } = useWords();
  const [fault, setFault] = useState<string>();
  const [guessed, setGuessed] = useState<Guessed | null>(null);
  const read = (file: Omit<Guessed, 'encoding'>, reading: Reading) => {
    if (typeof reading === 'string') return setFault(t(reading === 'workbook' ? 'batch.workbook' : 'batch.utf32'));
    const { encoding, sure } = reading;
    setGuessed(sure ? null : { ...file, encoding });
    const text = decoded(file.bytes, encoding);
    if (text === null) return setFault(t('batch.otherEncoding'));
    try {
      const found = readSheet(file.name, text);
      if (!found || found.rows.size === 0) return setFault(t('batch.noRows'));
      if (found.rows.size > MOST_ROWS) return setFault(t('batch.tooMany', { n: number(MOST_ROWS) }));
      setFault(undefined);
      onChosen(found);
    } catch (error) {
      if (!(error instanceof SheetFault)) throw error;
      setFault(t(`batch.fault.${error.kind}`, { row: number(error.row) }));
    }
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setFault(t('batch.tooLarge', { n: MOST_BYTES / 1_048_576 }));
    const bytes = await file.bytes();
    read({ name: file.name, bytes }, encodingOf(bytes));
  };
  return { fault, guessed, read, take };
}

/** Takes a list: chosen, dropped, or one of the samples. */
export function ChooseFile({ sheet, onChosen }: ChooseFileProps) {
  const { t } = useWords();
  const { fault, guessed, read, take } = useReading(onChosen);
  const [over, setOver] = useState(false);
  return (
    <section
      className="card drop stack"
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
          <span className="soft"> · {t('batch.rows', { n: sheet.rows.size })}</span>
        </p>
      ) : (
        <p>{t('batch.drop')}</p>
      )}
      <FileInput isChosen={sheet !== null} onFile={file => void take(file)} />
      {guessed && <EncodingField guessed={guessed} onRead={read} />}
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      {!sheet && <Samples onChosen={onChosen} />}
    </section>
  );
}

function FileInput({ isChosen, onFile }: { isChosen: boolean; onFile: (file: File | undefined) => void }) {
  const { t } = useWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        className="unseen"
        tabIndex={-1}
        aria-label={t('batch.file')}
        onChange={event => {
          onFile(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button weight={isChosen ? 'quiet' : 'main'} slim={isChosen} onPress={() => input.current?.click()}>
        {t(isChosen ? 'batch.another' : 'batch.choose')}
      </Button>
    </>
  );
}

interface EncodingFieldProps {
  guessed: Guessed;
  onRead: (file: Guessed, reading: Reading) => void;
}

/** Reads the file again in another encoding. */
function EncodingField({ guessed, onRead }: EncodingFieldProps) {
  const { t } = useWords();
  return (
    <SelectField
      label={t('batch.encoding')}
      hint={t('batch.encodingHint')}
      options={GUESSED_ENCODINGS.map(encoding => [encoding, t(`encoding.${encoding}`)] as const)}
      value={guessed.encoding}
      onChosen={encoding => onRead(guessed, { encoding: encoding as SheetEncoding, sure: false })}
    />
  );
}

function Samples({ onChosen }: Pick<ChooseFileProps, 'onChosen'>) {
  const { t } = useWords();
  return (
    <div className="samples line">
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
  );
}
