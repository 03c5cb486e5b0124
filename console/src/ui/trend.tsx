// A line of values over time without axes, for a row of a table.
export function Trend({ values }: { readonly values: readonly (number | string | null)[] }) {
  const most = Math.max(1, ...values.map(Number));
  const at = (index: number): number => (index / Math.max(1, values.length - 1)) * 78 + 1;
  const points = values.map(
    (value, index) => `${at(index).toFixed(1)},${(17 - (Number(value) / most) * 15).toFixed(1)}`,
  );
  return (
    <svg width="80" height="18" aria-hidden="true">
      <polyline points={points.join(" ")} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
    </svg>
  );
}
