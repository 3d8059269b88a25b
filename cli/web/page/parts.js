// parts.js -- pieces that several pages have: sections, tables, choices, sliders, players.
import { el, figure, isNumber, svg } from './base.js';

export const section = (title, ...children) => el('section', { class: 'card' }, el('h2', {}, title), ...children);

// A table of columns [{name, value(row)}] and rows.  Its box scrolls, not the page.  Numbers have all digits.
export function table(label, columns, rows) {
  const right = (content) => isNumber(content) || content?.className === 'n';
  const numeric = columns.map(({ value }) => rows.length > 0 && right(value(rows[0])));
  const cell = (row, at) => {
    const content = columns[at].value(row);
    return el(
      at === 0 ? 'th' : 'td',
      { class: right(content) ? 'n' : null, scope: at === 0 ? 'row' : null },
      isNumber(content) ? String(content) : (content ?? ''),
    );
  };
  const head = columns.map(({ name }, at) => el('th', { scope: 'col', class: numeric[at] ? 'n' : null }, name));
  const body = rows.map((row) =>
    el(
      'tr',
      {},
      columns.map((_, at) => cell(row, at)),
    ),
  );
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    el('table', {}, el('thead', {}, el('tr', {}, head)), el('tbody', {}, body)),
  );
}

// A table of names and numbers with bars of the first number, in front of lighter ones of the second, if there is one.
// Logarithmic bars begin at half of the least number.  Bars of negative numbers go to the left of a middle line.
export function barTable(label, [name, ...amounts], rows, isLog = false) {
  const first = rows.map((row) => row[1]),
    hasBack = rows.some((row) => isNumber(row[2]));
  const largest = Math.max(0, ...(hasBack ? rows.flatMap((row) => row.slice(1)) : first).map(Math.abs));
  const least = Math.min(...first),
    whole = least < 0 ? 50 : 100;
  const share = (value) =>
    isLog ? Math.log((2 * value) / least) / Math.log((2 * largest) / least) : Math.abs(value) / (largest || 1);
  const rect = (value, kind) => {
    const width = whole * Math.max(0, share(value)),
      x = least >= 0 ? 0 : value < 0 ? 50 - width : 50;
    return svg('rect', { class: value < 0 ? 'c2' : kind, x: `${x}%`, width: `${width}%`, height: 12 });
  };
  const bars = ([, front, back]) =>
    el(
      'span',
      { class: 'amount' },
      svg('svg', { height: 12, 'aria-hidden': 'true' }, isNumber(back) && rect(back, 'heat1'), rect(front, 'c1')),
      figure(front),
    );
  const columns = amounts.map((each, at) => ({ name: each, value: at === 0 ? bars : (row) => row[at + 1] }));
  return table(label, [{ name, value: (row) => row[0] }, ...columns], rows);
}

// Details whose content is made when they are open: make() returns children.  update() makes it again, if open.
export function lazyDetails(summary, make) {
  const body = el('div', {});
  const node = el('details', { ontoggle: () => update() }, el('summary', {}, summary), body);
  function update() {
    if (node.open) body.replaceChildren(...[make()].flat());
  }
  return { node, update };
}

// The table of a picture: the newest rows first, all of them on demand.
export function rowsTable(label, columns, rows, all, showAll) {
  const kFirst = 100,
    shown = all ? rows : rows.slice(-kFirst);
  return [
    table(label, columns(), [...shown].reverse()),
    rows.length > shown.length && el('button', { type: 'button', onclick: showAll }, `Show all ${rows.length} rows`),
  ].filter(Boolean);
}

// A table of records as details under a picture.
export function recordsTable(label, columns, rows) {
  let all = false;
  const details = lazyDetails(label, () =>
    rowsTable(label, columns, rows(), all, () => {
      all = true;
      details.update();
    }),
  );
  return details;
}

// A group of buttons of which one is pressed: choices [[value, label]].
export function choice(label, choices, chosen, change) {
  const group = el('div', { class: 'choice', role: 'group', 'aria-label': label });
  const show = (value) => {
    for (const button of group.children) button.setAttribute('aria-pressed', String(button.dataset.value === value));
  };
  for (const [value, text] of choices) {
    group.append(
      el(
        'button',
        {
          type: 'button',
          'data-value': value,
          onclick: () => {
            show(value);
            change(value);
          },
        },
        text,
      ),
    );
  }
  show(chosen);
  return group;
}

export const axisChoice = (change) =>
  choice(
    'Horizontal axis',
    [
      ['epochs', 'Epochs'],
      ['seconds', 'Seconds of training'],
    ],
    'epochs',
    change,
  );
export const scaleChoice = (change, first = 'linear') =>
  choice(
    'Scale',
    [
      ['linear', 'Linear'],
      ['log', 'Logarithmic'],
    ],
    first,
    change,
  );

// A group of check boxes: names of which some are chosen.  set(names) renews it.
export function checks(label, change) {
  const node = el('fieldset', { class: 'checks' }, el('legend', {}, label));
  const chosen = new Set();
  let known = '';
  return {
    node,
    chosen,
    set(names, first = []) {
      if (names.join() === known) return;
      if (known === '') for (const name of first) chosen.add(name);
      known = names.join();
      node.replaceChildren(
        node.firstChild,
        ...names.map((name) =>
          el(
            'label',
            {},
            el('input', {
              type: 'checkbox',
              checked: chosen.has(name),
              onchange: (event) => {
                if (event.target.checked) chosen.add(name);
                else chosen.delete(name);
                change();
              },
            }),
            name.replace(/^\w+\./, ''),
          ),
        ),
      );
    },
  };
}

export function select(label, change) {
  const box = el('select', { onchange: () => change(box.value) });
  return {
    node: el('label', { class: 'select' }, `${label} `, box),
    get value() {
      return box.value;
    },
    set(names) {
      if ([...box.options].map((option) => option.value).join() === names.join()) return;
      const before = box.value;
      box.replaceChildren(...names.map((name) => el('option', { value: name }, name)));
      if (names.includes(before)) box.value = before;
    },
  };
}

export function slider(label, change) {
  const box = el('input', {
    type: 'range',
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    oninput: () => change(Number(box.value)),
  });
  const text = el('output', {});
  return {
    node: el('label', { class: 'slider' }, el('span', {}, label), box, text),
    get value() {
      return Number(box.value);
    },
    set(value, most, shown, least = 0) {
      box.min = least;
      box.max = most;
      box.value = value;
      text.textContent = shown;
      box.setAttribute('aria-valuetext', shown);
    },
  };
}

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
