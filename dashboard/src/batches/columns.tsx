import { BATCH_COLUMNS } from '@firsthand/contract/batches/batches.ts';
import { useWords } from '../base/language.tsx';
import { Section } from '../base/parts/page.tsx';
import { keyOf, type Mapping, type Sheet } from './sheet.ts';

/** The rows that show what a column holds. */
const SHOWN = 3;

/** Says where each column of the file goes. */
export function Columns({
  sheet,
  mapping,
  onChange,
}: {
  sheet: Sheet;
  mapping: Mapping;
  onChange: (mapping: string[]) => void;
}) {
  const { t } = useWords();
  const examples = [...sheet.rows.values()].slice(0, SHOWN);
  return (
    <Section title={t('batch.columns')} intro={t('batch.columnsIntro')}>
      <table className="columns">
        <thead>
          <tr>
            <th scope="col">{t('batch.inFile')}</th>
            <th scope="col">{t('batch.examples')}</th>
            <th scope="col">{t('batch.goesTo')}</th>
          </tr>
        </thead>
        <tbody>
          {sheet.header.map((heading, index) => {
            const place = mapping[index] ?? '';
            const own = `metadata.${place.startsWith('metadata.') ? place.slice(9) : keyOf(heading) || `column_${index + 1}`}`;
            const name = heading.trim() || t('batch.nameless', { n: index + 1 });
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one heading, and none moves
              <tr key={index} data-left-out={place === ''}>
                <th scope="row">{name}</th>
                <td className="soft">
                  {examples
                    .map(cells => cells[index])
                    .filter(Boolean)
                    .join(' · ')}
                </td>
                <td>
                  <select
                    className="input"
                    aria-label={t('batch.goesToNamed', { name })}
                    value={place}
                    onChange={event =>
                      onChange(
                        mapping.map((other, at) =>
                          // One place holds one column: the one chosen before gives way.
                          at === index ? event.target.value : other === event.target.value ? '' : other,
                        ),
                      )
                    }
                  >
                    <option value="">{t('batch.leaveOut')}</option>
                    {BATCH_COLUMNS.map(column => (
                      <option key={column} value={column}>
                        {t(`batchColumn.${column}`)}
                      </option>
                    ))}
                    <option value={own}>{t('batchColumn.metadata', { key: own.slice(9) })}</option>
                  </select>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Section>
  );
}
