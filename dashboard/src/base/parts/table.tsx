import type { ReactNode } from 'react';

interface TableProps {
  heads: readonly string[];
  /** More classes. */
  look?: string;
  role?: 'alert';
  label?: string;
  children: ReactNode;
}

/** A table with a heading over each column. */
export const Table = ({ heads, look = '', role, label, children }: TableProps) => (
  <table className={`table ${look}`} role={role} aria-label={label}>
    <thead>
      <tr>
        {heads.map(head => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
