// model_page.js -- the model as tables, once the run has written its text.
import { el, isNumber, svg } from './base.js';
import { section, table } from './parts.js';

const kMostBars = 6; // columns of a table that gets bars
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
    if (!run.hasFolder) return says('The text of a model is in the folder of its run: `rota web DIR` shows it.');
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
  const sized = columns.length > kMostBars ? 0 : lastVarying(columns.length, rows);
  const largest = Math.max(0, ...rows.map((row) => (isNumber(row[sized]) ? Math.abs(row[sized]) : 0)));

  // The last column of numbers has bars of their size, orange if negative; the first column names the row.
  const cell = (value, at) => {
    if (!isNumber(value))
      return String(value ?? '').length > 40 ? el('span', { class: 'words' }, value) : String(value ?? '');
    if (at === 0 || at !== sized) return value;
    const bar = svg('rect', { width: `${(100 * Math.abs(value)) / (largest || 1)}%`, height: 8 });
    const kind = value < 0 ? 'size c2' : 'size c1';
    return [svg('svg', { class: kind, width: 90, height: 8, 'aria-hidden': 'true' }, bar), String(value)];
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

// The last column whose values are numbers and differ; 0 if there is none.
function lastVarying(columns, rows) {
  for (let at = columns - 1; at > 0; --at)
    if (rows.every((row) => isNumber(row[at])) && new Set(rows.map((row) => row[at])).size > 1) return at;
  return 0;
}
