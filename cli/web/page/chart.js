// chart.js -- curves and stacked bars, drawn by uPlot; read with the pointer or with the arrow keys.
/* global uPlot */
import { amount, el, isNumber, last, number, svg } from './base.js';

const kDashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4], [3, 6], [10, 3, 2, 3, 2, 3]];
const kColours = 8;
const charts = new Set();

// The colours of style.css, resolved for the canvas.
let theme = {};
export function readTheme() {
  const probe = el('i', { hidden: true });
  document.body.append(probe);
  const resolve = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  theme = {
    ink: resolve('ink'),
    soft: resolve('soft'),
    grid: resolve('line'),
    paper: resolve('card'),
    heat: Array.from({ length: 5 }, (_, i) => resolve(`heat${i}`)),
    series: Array.from({ length: kColours }, (_, i) => resolve(`c${i + 1}`)),
  };
  probe.remove();
  for (const chart of charts) chart.rebuild();
  return theme;
}
export const currentTheme = () => theme;

export const dashOf = (i) => kDashes[Math.floor(i / kColours + i) % kDashes.length];
// Of a part of a stack, by its level of `heat`; of a curve otherwise.
export function swatch(i, heat) {
  return svg(
    'svg',
    {
      class: `swatch ${heat ? `heat${heat}` : `c${(i % kColours) + 1}`}`,
      width: 26,
      height: 10,
      'aria-hidden': 'true',
    },
    heat
      ? svg('rect', { x: 4, y: 0, width: 18, height: 10 })
      : svg('line', { x1: 0, x2: 26, y1: 5, y2: 5, 'stroke-dasharray': dashOf(i).join(' ') }),
  );
}

// A chart of `title`.  update({x, xName, series: [{label, values, format, heat}], log, mark: {x, y, text}, stacked, range,
// xLog, rest: {at, text}}): null values are gaps; stacked series are drawn as bars on top of each other, in a level of `heat`; a mark without
// y is a line; `rest` is what is read while nobody points at the chart, in place of the newest values.
export function chart(title, height = 230) {
  const readout = el('p', { class: 'readout' });
  const legend = el('ul', { class: 'legend' });
  const box = el('div', {
    class: 'plot',
    tabindex: 0,
    role: 'group',
    'aria-label': `${title}: arrow keys read values`,
    onkeydown: (event) => step(event),
    // Read aloud only what the reader asks for, not what a live run adds.
    onfocus: () => readout.setAttribute('aria-live', 'polite'),
    onblur: () => {
      readout.removeAttribute('aria-live');
      plot?.setCursor({ left: -10, top: -10 }, true, true);
    },
  });
  const node = el('figure', { class: 'chart' }, el('figcaption', {}, el('h3', {}, title), legend), box, readout);
  let plot = null,
    shape = '',
    given = null,
    shown = null;

  const wait = new ResizeObserver(() => {
    if (plot && box.clientWidth > 0 && box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height });
    else if (!plot && given) draw();
  });
  wait.observe(box);

  function step(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!move || !plot || !given.x.length) return;
    event.preventDefault();
    const most = given.x.length - 1,
      to = Math.max(0, Math.min(most, (shown ?? (move < 0 ? most + 1 : -1)) + move));
    plot.setCursor({ left: plot.valToPos(given.x[to], 'x'), top: box.clientHeight / 3 }, true, true);
    say(to);
  }
  function say(index) {
    shown = index;
    const at = index ?? given.rest?.at ?? given.x.length - 1;
    if (at < 0) return readout.replaceChildren('No values yet.');
    readout.replaceChildren(
      `${given.xName} ${number(given.x[at])}`,
      ...given.series.flatMap(({ label, values, format }) =>
        values[at] === undefined ? [] : [` · ${label} `, exact(values[at], format ?? number)],
      ),
      index === null ? ` (${given.rest?.text ?? 'newest'})` : '',
    );
  }

  const exact = (value, format) => el('data', { value: String(value ?? '') }, format(value));

  function stackedUp(series) {
    const total = given.x.map(() => 0),
      up = series.map(({ values }) => values.map((value, i) => (isNumber(value) ? (total[i] += value) : null)));
    return up.reverse(); // the highest first: lower ones are drawn over it
  }
  function data() {
    return [given.x, ...(given.stacked ? stackedUp(given.series) : given.series.map((series) => series.values))];
  }
  function options() {
    const { series, stacked, xName, xLog, log, range } = given,
      count = series.length;
    const axis = {
      stroke: theme.soft,
      font: '12px system-ui, sans-serif',
      grid: { stroke: theme.grid, width: 1 },
      ticks: { stroke: theme.grid, width: 1, size: 4 },
    };
    const format = series[0]?.format ?? amount;
    const few = given.x.length <= 60;
    return {
      width: box.clientWidth,
      height,
      legend: { show: false },
      padding: [10, 12, 0, 0],
      scales: {
        x: {
          time: false,
          ...(xLog ? { distr: 3, range: (_, low, high) => [low, high] } : {}),
          ...(stacked
            ? {
                range: (_, low, high) => (low === high ? [low - 0.5, high + 0.5] : [low - 0.5 * few, high + 0.5 * few]),
              }
            : {}),
        },
        y: { distr: log ? 3 : 1, ...(range ? { range } : stacked ? { range: (_, low, high) => [0, high || 1] } : {}) },
      },
      axes: [
        {
          ...axis,
          size: 30,
          space: 60,
          incrs:
            xName === 'epoch'
              ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6]
              : undefined,
          values: (_, ticks) => ticks.map((tick) => (isNumber(tick) ? number(tick) : '')),
        },
        {
          ...axis,
          size: 64,
          space: 36,
          values: (_, ticks) => ticks.map((tick) => (isNumber(tick) ? axisText(format, tick, ticks) : '')),
        },
      ],
      cursor: { sync: { key: xName }, y: false, points: { size: 7 }, drag: { x: false, y: false } },
      series: [
        {},
        ...series.map((_, i) => {
          const at = stacked ? count - 1 - i : i,
            colour = stacked ? theme.heat[series[at].heat] : theme.series[at % kColours];
          return stacked
            ? {
                stroke: colour,
                fill: colour,
                width: 0,
                points: { show: false },
                ...(few ? { paths: uPlot.paths.bars({ size: [0.85, 60] }) } : {}),
              }
            : { stroke: colour, width: 2, dash: dashOf(at), points: { show: given.x.length < 3 } };
        }),
      ],
      hooks: {
        setCursor: [(u) => say(u.cursor.left >= 0 ? u.cursor.idx : null)],
        draw: [(u) => drawMark(u)],
      },
    };
  }
  // Ticks that lie close together keep the digits in which they differ.
  function axisText(format, tick, ticks) {
    const numbers = ticks.filter(isNumber),
      step = Math.abs(numbers[1] - numbers[0]) || 1;
    if (format !== amount) return format(tick);
    return Math.abs(tick) >= 1e4 ? shorten(tick, step) : number(tick);
  }
  function shorten(tick, step) {
    const [size, unit] = [
      [1e12, 'T'],
      [1e9, 'G'],
      [1e6, 'M'],
      [1e3, 'k'],
    ].find(([size]) => Math.abs(tick) >= size) ?? [1, ''];
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / size))));
    return `${(tick / size).toFixed(digits).replace('-', '−')} ${unit}`;
  }
  function drawMark(u) {
    const { mark } = given;
    if (!mark || !isNumber(mark.x)) return;
    const { ctx } = u,
      x = u.valToPos(mark.x, 'x', true),
      y = isNumber(mark.y) ? u.valToPos(mark.y, 'y', true) : u.bbox.top,
      unit = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = theme.ink;
    ctx.lineWidth = 2 * unit;
    ctx.setLineDash([]);
    ctx.beginPath();
    if (isNumber(mark.y)) ctx.arc(x, y, 5 * unit, 0, 2 * Math.PI);
    else ctx.rect(x, y, 0, u.bbox.height);
    ctx.stroke();
    ctx.font = `${12 * unit}px system-ui, sans-serif`;
    const right = x > u.bbox.left + u.bbox.width / 2,
      high = y < u.bbox.top + u.bbox.height / 2;
    ctx.textAlign = right ? 'right' : 'left';
    ctx.fillText(mark.text, x + (right ? -9 : 9) * unit, y + (high ? 18 : -10) * unit);
    ctx.restore();
  }

  function draw() {
    plot?.destroy();
    plot = null;
    if (!given || box.clientWidth === 0) return;
    plot = new uPlot(options(), data(), box);
    plot.root.setAttribute('aria-hidden', 'true');
  }
  const self = {
    node,
    rebuild: draw,
    destroy() {
      charts.delete(self);
      wait.disconnect();
      plot?.destroy();
    },
    update(next) {
      const form = JSON.stringify([
        next.series.map((series) => series.label),
        next.xName,
        next.log,
        next.stacked,
        next.x.length <= 60,
      ]);
      given = next;
      if (form !== shape) {
        shape = form;
        legend.hidden = next.series.length < 2;
        legend.replaceChildren(...next.series.map(({ label, heat }, i) => el('li', {}, swatch(i, heat), label)));
        shown = null;
        draw();
      } else {
        plot?.setData(data());
      }
      if (shown === null || shown >= next.x.length) say(null);
    },
  };
  charts.add(self);
  return self;
}

export const closeCharts = () => [...charts].forEach((each) => each.destroy());

// The values of several columns of a run against epochs or seconds of training.
export function columns(run, names, axis, format) {
  return {
    x: run.records.map((record) => record[axis === 'epochs' ? 'epoch' : 'seconds']),
    xName: axis === 'epochs' ? 'epoch' : 'second',
    series: names.map((name) => ({ label: name.replace(/^\w+\./, ''), values: run.column(name), format })),
  };
}
export const positive = (series) =>
  series.every(({ values }) => values.every((value) => value === null || value > 0)) &&
  series.some(({ values }) => isNumber(last(values)));
