// model_pictures.js -- pictures of models without topics: Lasso's path of coefficients, weights, clusters, ranks, and
// of tables that only their numbers tell something of.
import { el, isNumber, number, plural, svg } from './base.js';
import { chart } from './chart.js';
import { barTable, scaleChoice, section, select } from './parts.js';

const kLines = 8; // colours of a chart
const kBars = 30;
const kWide = 100; // the largest by the smallest: bars are logarithmic at first
const kMostCells = [100, 64]; // rows and columns of a picture of a table

const column = ({ columns, rows }, name) => rows.map((row) => row[columns.indexOf(name)]);
const note = (...texts) => el('p', { class: 'note' }, texts.filter(Boolean).join(' '));

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
  return [
    section(
      'Path of coefficients',
      note(
        lines.size > kLines &&
          `The ${kLines} largest of ${lines.size} coefficients that are not 0, in the data’s units.`,
        'The penalty λ grows to the right, on a logarithmic axis: the larger, the fewer coefficients are not 0.',
        `Commands use the ${isFolded ? 'penalty of the least held-out error' : 'last penalty'} unless --penalty is given.`,
        order.length < path.rows.length && `${order.length} of ${path.rows.length} penalties are shown.`,
      ),
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
    box.replaceChildren(
      barTable(
        title,
        columns,
        shown.map(([name, value]) => [String(name), value]),
        scale === 'log',
      ),
    );
  show(isWide ? 'log' : 'linear');
  const which = shown.length < rows.length ? `The ${shown.length} largest of ${plural(rows.length, unit)}.` : '';
  const scale = least > 0 ? el('div', { class: 'controls' }, scaleChoice(show, isWide ? 'log' : 'linear')) : null;
  return [section(title, scale, which && note(which), box)];
}

// The numbers of the largest size, of either sign: entries [[name, number, more]].
function sizedBars(label, columns, entries, text = '') {
  const sized = entries.filter(([, value]) => isNumber(value) && value !== 0);
  const shown = sized.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, kBars);
  if (shown.length === 0) return [note('All of them are 0.')];
  const which =
    shown.length < sized.length
      ? `The ${shown.length} largest of ${number(sized.length)} that are not 0.`
      : `${number(sized.length)} of ${number(entries.length)} are not 0.`;
  return [note(which, text), el('div', { class: 'bar-table' }, barTable(label, columns, shown))];
}

// The weights of a linear model: a table of feature, label, weight and, in some, name.
export function weightBars({ columns, rows, cut }) {
  const labels = [...new Set(column({ columns, rows }, 'label'))].map(String);
  const box = el('div', {});
  const nameOf = (row) => (row[0] === 0 ? 'intercept' : String(row[columns.indexOf('name')] || `feature ${row[0]}`));
  const show = (label) => {
    const text = label && `A positive weight is in favour of the label ${label}.`;
    const mine = rows.filter((row) => String(row[1]) === label);
    const entries = mine.map((row) => [nameOf(row), row[2]]);
    box.replaceChildren(...sizedBars('Largest weights', ['feature', 'weight'], entries, text));
  };
  const list = select('Label', show);
  list.set(labels);
  show(labels[0]);
  const choose = labels.length > 1 ? el('div', { class: 'controls' }, list.node) : null;
  const some = cut ? note(`The first ${number(rows.length)} weights of the file are considered.`) : null;
  return [section('Largest weights', choose, box, some)];
}

// The coefficients of Lasso with one penalty.
export function coefficientBars({ rows, cut }) {
  const only = rows.filter((row) => row[0] === rows[0][0]);
  if (cut || only.length < rows.length) return [];
  const entries = only.map(([, number, value, name]) => [String(name || `column ${number}`), value]);
  return [section('Coefficients that are not 0', sizedBars('Coefficients', ['column', 'coefficient'], entries))];
}

// MedLDA's topics: a table of topic, weight, tokens, words.
export function labelledTopics({ rows }) {
  const entries = rows.map(([topic, weight, tokens, words]) => [
    el('span', { class: 'words' }, el('b', {}, `${topic} `), String(words)),
    weight,
    tokens,
  ]);
  const text = 'A document is in the class of the labels above 0 if its topics’ weights add up to more than 0.';
  const bars = barTable(
    'Topics',
    ['topic', 'weight for label 1', 'tokens'],
    entries.sort((a, b) => b[1] - a[1]),
  );
  return [section('Topics by their weight for the label', note(text), el('div', { class: 'bar-table texts' }, bars))];
}

// The largest numbers of a cluster's centre: rows of cluster, column, value.
export function centreBars({ rows, cut }, clusters) {
  const box = el('div', {});
  const sizes = [...clusters.rows].sort((a, b) => b[1] - a[1]);
  const show = (cluster) => {
    const mine = rows.filter((row) => String(row[0]) === cluster);
    const entries = mine.map(([, number, value]) => [`column ${number}`, value]);
    box.replaceChildren(...sizedBars(`Centre of cluster ${cluster}`, ['column', 'mean of its rows'], entries));
  };
  const list = select('Cluster', show);
  const whole = cut ? rows.at(-1)[0] : Infinity; // the last one may not be whole
  const names = sizes.map((row) => row[0]).filter((name) => name < whole);
  if (names.length === 0) return [];
  list.set(names.map(String));
  show(String(names[0]));
  return [section('Centres', el('div', { class: 'controls' }, list.node), box)];
}

// ---- tables of apps that are not known here: key, then the numbers of a row

// Nothing for tables of another form.
export function unknownTable(one) {
  const { name, columns, rows, cut } = one;
  if (columns[0] !== 'key' || rows.length === 0 || !rows.every((row) => row.every(isNumber))) return [];
  const title = name.replace(/\.csv$/, '');
  const some = cut ? note(`Of the first ${number(rows.length)} rows of the file.`) : null;
  if (columns.length > 2 && rows.length === 1) {
    const entries = rows[0].slice(1).map((value, i) => [`number ${columns[i + 1]}`, value]);
    return [section(`Largest of ${title}`, sizedBars(title, ['place', 'value'], entries))];
  }
  if (columns.length > 6) return [section(`Picture of ${title}`, tablePicture(one), some)];
  if (columns.length > 2) return [];
  const values = rows.map((row) => row[1]);
  if (values.some((value) => value < 0)) {
    const entries = rows.map(([key, value]) => [`row ${key}`, value]);
    return [section(`Largest of ${title}`, sizedBars(title, ['row', 'value'], entries), some)];
  }
  const groups = Map.groupBy(values, (value) => value);
  if (2 * groups.size <= values.length && values.every(Number.isInteger)) {
    const sizes = [...groups].map(([value, all]) => [String(value), all.length]);
    const shown = sizes.sort((a, b) => b[1] - a[1]).slice(0, kBars);
    const text = `${plural(groups.size, 'value')} in ${plural(values.length, 'row')}; the ${shown.length} most frequent ones.`;
    const bars = barTable(title, ['value', 'rows'], shown);
    return [section(`Rows of equal ${title}`, note(text), el('div', { class: 'bar-table' }, bars), some)];
  }
  return [section(`Distribution of ${title}`, histogram(title, values), some)];
}

// How many of the values are in each of some equal ranges; what is far above all others is a range of its own.
function histogram(title, values) {
  const kRanges = 20,
    kFar = 1e9; // times the median
  const sorted = [...values].sort((a, b) => a - b),
    middle = sorted[sorted.length >> 1];
  const near = sorted.filter((value) => !(middle > 0 && value > kFar * middle));
  const [least, most] = [near[0], near.at(-1)],
    width = (most - least) / kRanges || 1;
  const rows = Array.from({ length: most > least ? kRanges : 1 }, (_, i) => {
    const count = near.filter((value) => Math.min(kRanges - 1, Math.floor((value - least) / width)) === i).length;
    return [
      `${number(least + i * width, 4)} to ${number(i + 1 === kRanges ? most : least + (i + 1) * width, 4)}`,
      count,
    ];
  });
  if (near.length < values.length) rows.push([`${number(sorted[near.length])} and more`, values.length - near.length]);
  const text = `${plural(values.length, 'row')}, median ${number(middle)}.`;
  return [note(text), el('div', { class: 'bar-table' }, barTable(title, ['value', 'rows'], rows))];
}

// Rows and columns as coloured cells: blue is positive, orange negative, each column in units of its largest number.
function tablePicture({ name, columns, rows }) {
  const [most, wide] = kMostCells,
    shown = rows.slice(0, most),
    count = Math.min(columns.length - 1, wide);
  const sizes = Array.from({ length: count }, (_, at) =>
    Math.max(...shown.map((row) => Math.abs(row[at + 1])), 1e-300),
  );
  const cells = shown.flatMap((row, y) =>
    sizes.map((size, at) => {
      const value = row[at + 1];
      const look = { class: value < 0 ? 'c2' : 'c1', opacity: (Math.abs(value) / size).toFixed(2) };
      const place = { x: at * 10, y: y * 10, width: 9, height: 9 };
      return svg(
        'rect',
        { ...place, ...look },
        svg('title', {}, `row ${row[0]}, ${columns[at + 1]}: ${number(value)}`),
      );
    }),
  );
  const size = [count * 10, shown.length * 10];
  const all = rows.length > most || columns.length - 1 > wide;
  return [
    note(
      'Rows from top to bottom, their numbers from left to right. Blue is positive, orange negative;',
      'the darker, the nearer to the largest number of its column.',
      all && `The first ${shown.length} rows and ${count} columns are shown.`,
    ),
    svg(
      'svg',
      {
        class: 'cells',
        viewBox: `0 0 ${size.join(' ')}`,
        width: 2 * size[0],
        role: 'img',
        'aria-label': `Picture of ${name}`,
      },
      cells,
    ),
  ];
}
