// model_pictures.js -- pictures of models without topics: Lasso's path of coefficients, sizes of clusters, ranks.
import { el, isNumber } from './base.js';
import { chart } from './chart.js';
import { barTable, scaleChoice, section } from './parts.js';

const kLines = 8; // colours of a chart
const kBars = 30;
const kWide = 100; // the largest by the smallest: bars are logarithmic at first

const column = ({ columns, rows }, name) => rows.map((row) => row[columns.indexOf(name)]);

// Coefficients against the penalty, largest penalty last.  Nothing if there is no path.
export function coefficientPath(path, coefficients) {
  // Rows are in the order of penalties: if some are cut off, the last one is not whole.
  const whole = coefficients.cut ? coefficients.rows.at(-1)[0] - 1 : Infinity;
  const order = path.rows.filter((row) => row[0] <= whole).sort((a, b) => a[1] - b[1]);
  if (order.length < 2 || !(order[0][1] > 0)) return [];
  const place = new Map(order.map((row, i) => [row[0], i]));
  const lines = new Map();
  for (const [penalty, number, value, name] of coefficients.rows) {
    if (!place.has(penalty)) continue;
    const label = String(name || `column ${number}`);
    if (!lines.has(number)) lines.set(number, { label, values: order.map(() => 0), size: 0 });
    const line = lines.get(number);
    line.values[place.get(penalty)] = value;
    line.size = Math.max(line.size, Math.abs(value));
  }
  const largest = [...lines.values()].sort((a, b) => b.size - a.size).slice(0, kLines);
  if (largest.length === 0) return [];
  const x = order.map((row) => row[1]);
  const errors = path.columns.includes('cv_error') ? column({ ...path, rows: order }, 'cv_error') : null;
  const isFolded = errors?.every(isNumber);
  const at = isFolded ? errors.indexOf(Math.min(...errors)) : 0;
  const rest = { at, text: isFolded ? 'the least held-out error' : 'the last' };
  const parts = [chart('Coefficients', 300)];
  parts[0].update({ x, xName: 'penalty', xLog: true, series: largest, rest, mark: { x: x[at], text: rest.text } });
  if (isFolded) {
    parts.push(chart('Held-out error', 180));
    const series = [{ label: 'cross-validation', values: errors }];
    const mark = { x: x[at], y: errors[at], text: rest.text };
    parts[1].update({ x, xName: 'penalty', xLog: true, series, rest, mark });
  }
  const notes = [
    lines.size > kLines && `The ${kLines} largest of ${lines.size} coefficients that are not 0, in the data’s units.`,
    'The penalty λ grows to the right, on a logarithmic axis: the larger, the fewer coefficients are not 0.',
    `Commands use the ${isFolded ? 'penalty of the least held-out error' : 'last penalty'} unless --penalty is given.`,
    order.length < path.rows.length && `${order.length} of ${path.rows.length} penalties are shown.`,
  ];
  return [
    section(
      'Path of coefficients',
      el('p', { class: 'note' }, notes.filter(Boolean).join(' ')),
      parts.map(({ node }) => node),
    ),
  ];
}

// The largest values of a table of names and numbers as bars.
export function largestBars(title, { columns, rows, cut }, unit) {
  if (cut || rows.length === 0 || !rows.every((row) => isNumber(row[1]))) return [];
  const shown = [...rows].sort((a, b) => b[1] - a[1]).slice(0, kBars);
  const least = shown.at(-1)[1];
  const isWide = least > 0 && shown[0][1] > kWide * least;
  const box = el('div', { class: 'bar-table' });
  const show = (scale) =>
    box.replaceChildren(barTable(title, columns, shown.map(([name, value]) => [String(name), value]), scale === 'log'));
  show(isWide ? 'log' : 'linear');
  const which = shown.length < rows.length ? `The ${shown.length} largest of ${rows.length} ${unit}.` : '';
  const scale = least > 0 ? el('div', { class: 'controls' }, scaleChoice(show, isWide ? 'log' : 'linear')) : null;
  return [section(title, scale, which && el('p', { class: 'note' }, which), box)];
}
