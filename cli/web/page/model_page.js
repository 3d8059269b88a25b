// model_page.js -- the model as tables, once the run has written its text.
import { el, isNumber, svg } from './base.js';
import { section, table } from './parts.js';

const kMostBars = 6; // columns of a table whose numbers get bars
// Text files without a line of names, by the README.txt beside them.
const kNames = { 'topics.txt': ['topic', 'alpha', 'tokens', 'words'] };

export function modelPage(main, run, source) {
  const body = el('div', {}, el('p', { class: 'note' }, 'Loading …'));
  main.append(body);
  let asked = '';
  const says = (text) => body.replaceChildren(el('p', { class: 'note' }, text));
  async function update() {
    if (asked === run.state.state) return; // the text of a model is there when the run is done
    asked = run.state.state;
    try {
      const { tables = [] } = await source.model(run.state.name);
      if (tables.length) body.replaceChildren(...[...tables].sort((a, b) => isText(a) - isText(b)).map(tableSection));
      else if (run.running) says('The text of the model is written when the run is done.');
      else says('This run has no tables of its model. `rota show` prints it.');
    } catch (error) {
      says(error.message);
    }
  }
  update();
  return { update };
}

const isText = ({ columns }) => Number(columns.length < 2);

function tableSection({ name, columns, rows }) {
  const box = el('div', {});
  const find = el('input', {
    type: 'search',
    placeholder: 'Find in this table',
    'aria-label': `Find in ${name}`,
    oninput: () => show(),
  });
  const title = kNames[name]?.length === columns.length ? kNames[name] : columns.length === 1 ? ['line'] : columns;
  const largest = columns.map((_, at) =>
    Math.max(0, ...rows.map((row) => (isNumber(row[at]) ? Math.abs(row[at]) : 0))),
  );
  const varies = columns.map((_, at) => new Set(rows.map((row) => row[at])).size > 1);

  // A number with a bar of its size, orange if negative; the first column names the row.
  const cell = (value, at) => {
    if (!isNumber(value))
      return String(value ?? '').length > 40 ? el('span', { class: 'words' }, value) : String(value ?? '');
    if (at === 0 || columns.length > kMostBars || !varies[at]) return value;
    const bar = svg('rect', { width: `${(100 * Math.abs(value)) / (largest[at] || 1)}%`, height: 8 });
    const shown = svg(
      'svg',
      { class: value < 0 ? 'bar c2' : 'bar c1', width: 90, height: 8, 'aria-hidden': 'true' },
      bar,
    );
    return el('span', { class: 'n' }, shown, ` ${value}`);
  };
  function show() {
    const wanted = find.value.toLowerCase();
    const found = rows.filter((row) => row.some((value) => String(value).toLowerCase().includes(wanted)));
    const shown = title.map((column, at) => ({ name: column, value: (row) => cell(row[at], at) }));
    box.replaceChildren(
      table(name, shown, found),
      el('p', { class: 'note' }, `${found.length} of ${rows.length} rows`),
    );
  }
  show();
  return section(name, el('div', { class: 'controls' }, find), box);
}
