// point_map.js -- a table of points (columns x and y) as a map.
import { el, isNumber, number, svg } from './base.js';

export const isMap = ({ columns, rows }) => columns.includes('x') && columns.includes('y') && rows.length > 1;

// Circles whose area is the last column.  describe(row) is what is said of a row beside its numbers, chosen(row) is
// called when the reader has chosen one.  choose(name) chooses the row whose first column is that.
export function pointMap({ name, columns, rows, cut }, describe, chosen = () => {}) {
  const kSize = 560,
    kMargin = 40;
  const [x, y] = [columns.indexOf('x'), columns.indexOf('y')],
    size = columns.length - 1;
  const points = rows.filter((row) => isNumber(row[x]) && isNumber(row[y])).sort((a, b) => b[size] - a[size]);
  const range = (at) => [Math.min(...points.map((row) => row[at])), Math.max(...points.map((row) => row[at]))];
  const [[left, right], [low, high]] = [range(x), range(y)];
  const scale = (kSize - 2 * kMargin) / (Math.max(right - left, high - low) || 1); // one for both: distances count
  const height = Math.max((high - low) * scale, 60) + 2 * kMargin;
  const largest = size > y ? Math.max(...points.map((row) => row[size])) : 0;
  const most = Math.min(34, (0.27 * kSize) / Math.sqrt(points.length));
  const radius = (row) => (largest > 0 ? Math.max(3, most * Math.sqrt(row[size] / largest)) : 6);
  const place = (row) => ({
    x: kSize / 2 + (row[x] - (left + right) / 2) * scale,
    y: height / 2 - (row[y] - (low + high) / 2) * scale,
  });
  const readout = el('p', { class: 'readout' }, 'Point at a circle, choose it, or use the arrow keys.');
  let at = -1;
  function mark(to) {
    at = to;
    circles.forEach((circle, i) => circle.classList.toggle('chosen', i === at));
    say(at);
  }
  function say(i) {
    if (i < 0) return;
    const row = points[i];
    const amount = largest > 0 ? `, ${number(row[size])} ${columns[size]}` : '';
    readout.textContent = [`${columns[0]} ${row[0]}${amount}`, describe(row)].filter(Boolean).join(': ');
  }
  const choose = (to) => {
    if (to === at) return;
    mark(to);
    chosen(points[to]);
  };
  const circles = points.map((row, i) => {
    const { x: cx, y: cy } = place(row);
    const on = { onpointerenter: () => say(i), onpointerleave: () => say(at), onclick: () => choose(i) };
    return svg('circle', { cx, cy, r: radius(row), ...on });
  });
  const names = points
    .filter((row) => radius(row) > 9)
    .map((row) => {
      const { x: left, y: top } = place(row);
      return svg('text', { x: left, y: top + 4, 'text-anchor': 'middle' }, String(row[0]));
    });
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const box = el(
    'div',
    {
      class: 'plot',
      tabindex: 0,
      role: 'group',
      'aria-label': `Map of ${name}: arrow keys read the circles, the largest first`,
      onfocus: () => readout.setAttribute('aria-live', 'polite'),
      onblur: () => readout.removeAttribute('aria-live'),
      onkeydown: (event) => {
        if (!(event.key in steps)) return;
        event.preventDefault();
        choose((Math.max(at, steps[event.key] < 0 ? 0 : -1) + steps[event.key] + points.length) % points.length);
      },
    },
    svg('svg', { class: 'map', viewBox: `0 0 ${kSize} ${height}`, 'aria-hidden': 'true' }, circles, names),
  );
  const note = [
    largest > 0 && `The area of a circle is its number of ${columns[size]}.`,
    cut && `The first ${rows.length} are shown.`,
  ];
  return {
    nodes: [el('p', { class: 'note' }, note.filter(Boolean).join(' ')), box, readout],
    // Only these rows, by their first column, stand out; null: all.
    fade: (names) =>
      circles.forEach((circle, i) => circle.classList.toggle('faded', !(names?.has(points[i][0]) ?? true))),
    choose: (name) => points.some((row) => row[0] === name) && mark(points.findIndex((row) => row[0] === name)),
  };
}
