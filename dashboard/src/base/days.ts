/** The first instant of a day such as `2026-11-28`, by the person's clock. */
export const startOf = (day: string): Date => new Date(`${day}T00:00`);

/** The first instant after a day. Its range ends before it, so that the whole day counts, also one of 23 or 25 hours. */
export function endOf(day: string): Date {
  const date = startOf(day);
  date.setDate(date.getDate() + 1);
  return date;
}
