import type { BatchCheck } from '@firsthand/contract/batches/batches.ts';
import { csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import { useEffect, useRef, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { saveFile } from '../base/parts/save-file.ts';
import { Section } from '../base/parts/section.tsx';
import { Table } from '../base/parts/shown.tsx';
import { Notice } from '../base/parts/states.tsx';
import { Warnings } from '../case/verification/warnings.tsx';
import { faultWords } from '../request/fault-words.ts';
import { cellOf, type Mapping, type Sheet } from './sheet.ts';

const SHOWN = 100;

interface CheckedProps {
  check: BatchCheck;
  sheet: Sheet;
  mapping: Mapping;
}

/** The result of the check: every fault by its row, or a preview of the first verifications. */
export function Checked({ check, sheet, mapping }: CheckedProps) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each check is looked at
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [check]);
  return (
    <div ref={place} className={check.faults.length === 0 ? 'stack' : 'checked'}>
      {check.faults.length === 0 ? (
        <NoFaults check={check} />
      ) : (
        <Faults faults={check.faults} sheet={sheet} mapping={mapping} />
      )}
    </div>
  );
}

function NoFaults({ check }: { check: BatchCheck }) {
  const { t } = useWords();
  return (
    <>
      <Notice look="verified" icon="check" role="status">
        {t('batch.noFaults', { n: check.total })}
      </Notice>
      <Warnings of={check} />
      <details className="card section stack">
        <summary>{t('batch.preview')}</summary>
        <pre className="code">{JSON.stringify(check.preview, null, 2)}</pre>
      </details>
    </>
  );
}

type FaultsProps = Omit<CheckedProps, 'check'> & Pick<BatchCheck, 'faults'>;

const csvOfFaults = (words: Parameters<typeof faultWords>[0], { faults, sheet, mapping }: FaultsProps): string =>
  [
    ['row', 'column', 'fault', 'value'],
    ...faults.map(fault => {
      const { row, column } = fault;
      return [row, column, faultWords(words, fault), cellOf(sheet, mapping, row, column)];
    }),
  ]
    .map(csvLine)
    .join('');

function Faults(props: FaultsProps) {
  const { faults, sheet, mapping } = props;
  const { t } = useWords();
  const [shown, setShown] = useState(SHOWN);
  const rows = new Set(faults.map(({ row }) => row)).size;
  return (
    <Section
      title={t('batch.faults', { n: faults.length })}
      intro={t('batch.faultsIntro', { n: rows })}
      aside={
        <Button slim onPress={() => saveFile('firsthand-faults.csv', csvOfFaults({ t }, props))}>
          <Icon name="download" />
          {t('batch.saveFaults')}
        </Button>
      }
    >
      <Table
        look="columns folds"
        role="alert"
        heads={[t('batch.row'), t('batch.column'), t('batch.value'), t('batch.fault')]}
      >
        {faults.slice(0, shown).map((fault, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one cell may have two faults, and none moves
          <tr key={index}>
            <th scope="row">{fault.row}</th>
            <td>
              <code>{fault.column || '–'}</code>
            </td>
            <td>{cellOf(sheet, mapping, fault.row, fault.column) ?? ''}</td>
            <td className="fault">{faultWords({ t }, fault)}</td>
          </tr>
        ))}
      </Table>
      {faults.length > shown && (
        <Button onPress={() => setShown(shown + SHOWN)}>{t('batch.moreFaults', { n: faults.length - shown })}</Button>
      )}
    </Section>
  );
}
