// heat_map.js -- workers by epochs: one row a worker, a column for one or several epochs, darker for more.
import { el, isNumber, last, number, percent, sum, svg } from './base.js';
import { currentTheme } from './chart.js';

export function heatMap() {
  const canvas = el('canvas', { 'aria-hidden': 'true' }),
    readout = el('p', { class: 'readout' }),
    legend = el('ul', { class: 'legend' });
  const node = el('figure', { class: 'chart' }, el('figcaption', {}, legend), canvas, readout);
  let cells = null;
  canvas.addEventListener('pointermove', (event) => {
    if (!cells) return;
    const { names, columns, left, high, wide } = cells,
      row = Math.floor(event.offsetY / high),
      at = Math.floor((event.offsetX - left) / wide);
    const column = columns[at];
    if (!names[row] || !column) return;
    const epochs = column.from === column.to ? column.from : `${column.from} to ${column.to}`;
    readout.textContent = `${names[row]}, epoch ${epochs}: ${cells.text(column.values[row])}`;
  });
  function update(run, names, measure, assignments) {
    const theme = currentTheme(),
      width = node.clientWidth || 300,
      left = 74,
      high = names.length > 24 ? 9 : 18;
    const most = Math.max(1, Math.floor((width - left) / 3)),
      records = run.records.filter((record) => record.compute_seconds?.length),
      per = Math.ceil(records.length / most) || 1;
    const value =
      measure === 'compute'
        ? (record, i) => record.compute_seconds[i] / (sum(record.compute_seconds) / record.compute_seconds.length)
        : (record, i) =>
            record.wait_seconds[i] /
            (record.wait_seconds[i] + record.compute_seconds[i] + (record.wire_seconds?.[i] ?? 0));
    const columns = [];
    for (let at = 0; at < records.length; at += per) {
      const group = records
        .slice(at, at + per)
        .map((record) => ({ record, order: run.workerNames(record, assignments) }));
      columns.push({
        from: group[0].record.epoch,
        to: last(group).record.epoch,
        values: names.map((name) => {
          const values = group
            .filter(({ order }) => order.includes(name))
            .map(({ record, order }) => value(record, order.indexOf(name)))
            .filter(isNumber);
          return values.length ? sum(values) / values.length : null;
        }),
      });
    }
    const bounds = measure === 'compute' ? [0.75, 1.1, 1.25, 1.5] : [0.2, 0.4, 0.6, 0.8],
      text = measure === 'compute' ? (v) => `${number(v, 3)} times the mean` : percent;
    const level = (v) => bounds.filter((bound) => v >= bound).length,
      wide = (width - left) / Math.max(columns.length, 1);
    const ratio = devicePixelRatio,
      height = names.length * high;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const ctx = canvas.getContext('2d');
    ctx.scale(ratio, ratio);
    ctx.font = `${Math.min(high, 12)}px system-ui, sans-serif`;
    ctx.textBaseline = 'middle';
    names.forEach((name, row) => {
      ctx.fillStyle = theme.soft;
      if (high > 9 || row % 4 === 0) ctx.fillText(name, 0, row * high + high / 2, left - 6);
      columns.forEach(({ values }, at) => {
        if (values[row] === null) return;
        ctx.fillStyle = theme.heat[level(values[row])];
        ctx.fillRect(left + at * wide, row * high, Math.max(wide - (wide > 4 ? 1 : 0), 0.5), high - 1);
      });
    });
    cells = { names, columns, left, high, wide, text };
    legend.replaceChildren(
      ...theme.heat.map((_, i) =>
        el(
          'li',
          {},
          svg(
            'svg',
            { class: `swatch heat${i}`, width: 22, height: 10, 'aria-hidden': 'true' },
            svg('rect', { width: 22, height: 10 }),
          ),
          i === 0
            ? `below ${boundText(bounds[0])}`
            : i === 4
              ? `from ${boundText(bounds[3])}`
              : `from ${boundText(bounds[i - 1])}`,
        ),
      ),
    );
    function boundText(bound) {
      return measure === 'compute' ? number(bound) : percent(bound);
    }
    if (!readout.textContent)
      readout.textContent = columns.length
        ? 'Point at a cell to read it; the table above has the sums.'
        : 'No epoch is over yet.';
  }
  return { node, update };
}
