import { BATCH_COLUMNS } from '@firsthand/contract/batches/batches.ts';
import { useWords } from '../base/language.tsx';
import { Section } from '../base/parts/section.tsx';
import { Table } from '../base/parts/shown.tsx';
import { keyOf, type Mapping, type Sheet } from './sheet.ts';

/** The rows that show what a column holds. */
const SHOWN = 3;

interface ColumnsProps {
  sheet: Sheet;
  mapping: Mapping;
  onChange: (mapping: string[]) => void;
}

/** Says where each column of the file goes. */
export function Columns({ sheet, mapping, onChange }: ColumnsProps) {
  const { t } = useWords();
  return (
    <Section title={t('batch.columns')} intro={t('batch.columnsIntro')}>
      <Table look="columns folds" heads={[t('batch.inFile'), t('batch.examples'), t('batch.goesTo')]}>
        {sheet.header.map((heading, index) => (
          <ColumnRow
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one heading, and none moves
            key={index}
            n={index + 1}
            heading={heading}
            examples={[...sheet.rows.values()].slice(0, SHOWN).map(cells => cells[index])}
            place={mapping[index] ?? ''}
            onPlace={place =>
              onChange(
                // One place holds one column: the one chosen before gives way.
                mapping.map((other, at) => (at === index ? place : other === place ? '' : other)),
              )
            }
          />
        ))}
      </Table>
    </Section>
  );
}

interface ColumnRowProps {
  n: number;
  heading: string;
  examples: readonly (string | undefined)[];
  /** Where it goes; empty for nowhere. */
  place: string;
  onPlace: (place: string) => void;
}

function ColumnRow({ n, heading, examples, place, onPlace }: ColumnRowProps) {
  const { t } = useWords();
  const name = heading.trim() || t('batch.nameless', { n });
  const key = place.startsWith('metadata.') ? place.slice('metadata.'.length) : keyOf(heading) || `column_${n}`;
  return (
    <tr data-left-out={place === ''}>
      <th scope="row">{name}</th>
      <td className="soft">{examples.filter(Boolean).join(' · ')}</td>
      <td>
        <select
          className="input"
          aria-label={t('batch.goesToNamed', { name })}
          value={place}
          onChange={event => onPlace(event.target.value)}
        >
          <option value="">{t('batch.leaveOut')}</option>
          {BATCH_COLUMNS.map(column => (
            <option key={column} value={column}>
              {t(`batchColumn.${column}`)}
            </option>
          ))}
          <option value={`metadata.${key}`}>{t('batchColumn.metadata', { key })}</option>
        </select>
      </td>
    </tr>
  );
}
