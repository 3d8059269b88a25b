// model_page.js -- the model as tables, once the run has written its text.
import { el, isNumber } from './base.js';
import { section, table } from './parts.js';

export function modelPage(main, run, source) {
  const body = el('div', {}, el('p', { class: 'note' }, 'Loading …'));
  main.append(body);
  let asked = '';
  async function update() {
    if (asked === run.state.state) return; // the text of a model is there when the run is done
    asked = run.state.state;
    try {
      const { epoch, tables = [] } = await source.model(run.state.name);
      body.replaceChildren(
        ...(tables.length
          ? tables.map((each) => one(each, epoch))
          : [
              el(
                'p',
                { class: 'note' },
                run.running
                  ? 'The text of the model is written when the run is done.'
                  : 'This run has no tables of its model. `rota show` prints it.',
              ),
            ]),
      );
    } catch (error) {
      body.replaceChildren(el('p', { class: 'note' }, error.message));
    }
  }
  update();
  return { update };
}

function one({ name, columns, rows }) {
  const find = el('input', {
      type: 'search',
      placeholder: 'Find in this table',
      'aria-label': `Find in ${name}`,
      oninput: () => show(),
    }),
    box = el('div', {});
  const wide = (text) =>
    String(text).length > 40 ? el('span', { class: 'words' }, text) : isNumber(text) ? text : String(text);
  function show() {
    const wanted = find.value.toLowerCase();
    const found = rows.filter((row) => row.some((cell) => String(cell).toLowerCase().includes(wanted)));
    box.replaceChildren(
      table(
        name,
        columns.map((column, i) => ({ name: column, value: (row) => wide(row[i] ?? '') })),
        found,
      ),
      el('p', { class: 'note' }, `${found.length} of ${rows.length} rows`),
    );
  }
  show();
  return section(name, el('div', { class: 'controls' }, find), box);
}
