const SHAPE =
  /^P(?!$)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/;
const MAX_YEARS = 100;

/**
 * The instant an ISO 8601 duration (`P30D`, `P1Y`, `PT12H`) after `from`; years and months by the calendar, in UTC.
 * @returns undefined when the text is no duration of more than nothing and at most 100 years
 */
export function addDuration(from: Date, duration: string): Date | undefined {
  const parts = SHAPE.exec(duration);
  if (!parts) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = parts
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number];
  const end = addMonths(from, years * 12 + months);
  const elapsed = (weeks * 7 + days) * 86_400 + hours * 3_600 + minutes * 60 + seconds;
  end.setTime(end.getTime() + elapsed * 1000);
  const latest = addMonths(from, MAX_YEARS * 12);
  return end > from && end <= latest ? end : undefined;
}

/** The same day some months on, or the month's last day where it has no such day. */
function addMonths(from: Date, months: number): Date {
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(to.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  to.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return to;
}
