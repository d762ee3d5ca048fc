import { type ScaleLinear, scaleBand, scaleLinear } from 'd3-scale';
import { useCallback, useState } from 'react';
import { useWords } from '../base/language.tsx';
import { Table } from '../base/parts/shown.tsx';

interface Series {
  name: string;
  /** A class that gives its colour. */
  look: string;
  values: readonly number[];
}

const HEIGHT = 260;
const LEFT = 44;
const BELOW = 24;
/** Room for the label of a bar. */
const LABEL = 96;

/** The width of an element, so that a drawing in it is not scaled: its words keep their size on a phone. */
function useWidth() {
  const [width, setWidth] = useState(0);
  const watch = useCallback((element: Element | null) => {
    if (!element) return undefined;
    const seen = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)));
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  return [width, watch] as const;
}

interface BarsProps {
  labels: readonly string[];
  series: readonly Series[];
}

/** Stacked bars over time, and the same numbers as a table. */
export function StackedBars({ title, labels, series }: BarsProps & { title: string }) {
  const { number } = useWords();
  const [width, watch] = useWidth();
  const totals = labels.map((_, index) => series.reduce((sum, { values }) => sum + values[index]!, 0));
  const y = scaleLinear([0, Math.max(1, ...totals)], [HEIGHT - BELOW, 8]).nice(4);
  return (
    <figure className="chart" ref={watch}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} height={HEIGHT} role="img" aria-label={title}>
        <Lines width={width} y={y} />
        <Stacks width={width} y={y} labels={labels} series={series} />
      </svg>
      <figcaption className="legend">
        {series.map(({ name, look, values }) => (
          <span key={name}>
            <svg viewBox="0 0 10 10" className="legend-dot" aria-hidden="true">
              <rect width="10" height="10" rx="2" className={look} />
            </svg>
            {name} <strong>{number(values.reduce((sum, value) => sum + value, 0))}</strong>
          </span>
        ))}
      </figcaption>
      <NumbersTable labels={labels} series={series} />
    </figure>
  );
}

interface Plane {
  width: number;
  y: ScaleLinear<number, number>;
}

/** The lines of whole numbers behind the bars. */
function Lines({ width, y }: Plane) {
  const { number } = useWords();
  const whole = y.ticks(4).filter(tick => Number.isInteger(tick));
  return whole.map(tick => (
    <g key={tick}>
      <line className="chart-line" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
      <text className="chart-text" x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
        {number(tick)}
      </text>
    </g>
  ));
}

function Stacks({ width, y, labels, series }: Plane & BarsProps) {
  const { number } = useWords();
  const x = scaleBand<number>(
    labels.map((_, index) => index),
    [LEFT, Math.max(LEFT, width)],
  ).padding(0.25);
  const every = Math.ceil(labels.length / Math.max(1, Math.floor((width - LEFT) / LABEL)));
  return labels.map((label, index) => {
    let from = 0;
    return (
      <g key={label}>
        {series.map(({ name, look, values }) => {
          const value = values[index]!;
          const top = y(from + value);
          const height = y(from) - top;
          from += value;
          return (
            value > 0 && (
              <rect key={name} className={look} x={x(index)} y={top} width={x.bandwidth()} height={height}>
                <title>{`${label}: ${name} ${number(value)}`}</title>
              </rect>
            )
          );
        })}
        {index % every === 0 && (
          <text className="chart-text" x={x(index)! + x.bandwidth() / 2} y={HEIGHT - 6} textAnchor="middle">
            {label}
          </text>
        )}
      </g>
    );
  });
}

function NumbersTable({ labels, series }: BarsProps) {
  const { t, number } = useWords();
  return (
    <details className="more">
      <summary>{t('statistics.table')}</summary>
      <div className="chart-table">
        <Table heads={[t('statistics.time'), ...series.map(({ name }) => name)]}>
          {labels.map((label, index) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{number(values[index]!)}</td>
              ))}
            </tr>
          ))}
        </Table>
      </div>
    </details>
  );
}

/** Bars side by side with their number: a table that can be seen. */
export function Bars({ rows, look = 'bar-accent' }: { rows: readonly (readonly [string, number])[]; look?: string }) {
  const { number } = useWords();
  const x = scaleLinear([0, Math.max(1, ...rows.map(([, value]) => value))], [0, 100]);
  return (
    <table className="bars">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect className={look} width={x(value)} height="10" rx="1" />
              </svg>
            </td>
            <td className="bars-number">{number(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
