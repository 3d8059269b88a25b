// nearest_items.js -- the items most similar to one that the reader chooses, by the cosine of their factors, as
// `rota similar` has them.
import { el, isNumber, number, shellWord } from './base.js';
import { barTable, section } from './parts.js';

const kNearest = 30,
  kListed = 500; // items in the list at once

// items: a table of item, bias, factor_1, ...; ask(item): a table of the server, or nothing if there is none.
export function nearestItems({ columns, rows, cut }, app, ask) {
  const from = columns.indexOf('factor_1');
  if (from < 0 || rows.length < 2) return [];
  const find = el('input', {
    type: 'search',
    placeholder: 'Find an item',
    'aria-label': 'Find an item',
    oninput: () => list(),
    onkeydown: (event) => event.key === 'Enter' && choose(names.value || find.value.trim()),
  });
  const names = el('select', { onchange: () => choose(names.value) });
  const box = el('div', { class: 'bar-table' }),
    says = el('p', { class: 'note', role: 'status' }),
    command = el('pre', { class: 'command' });
  const factors = rows.map((row) => row.slice(from).map((value) => (isNumber(value) ? Math.fround(value) : 0)));
  const lengths = factors.map((row) => Math.hypot(...row));
  let asked = 0;

  function list() {
    const wanted = find.value.trim().toLowerCase();
    const found = rows.map((row) => String(row[0])).filter((name) => name.toLowerCase().includes(wanted));
    found.sort((a, b) => Number(b.toLowerCase() === wanted) - Number(a.toLowerCase() === wanted)); // else as they are
    names.replaceChildren(...found.slice(0, kListed).map((name) => el('option', { value: name }, name)));
    names.disabled = found.length === 0;
    if (found.length) show(found[0]);
    else says.textContent = cut && ask ? 'Enter asks for this item.' : 'No item has this text in its name.';
  }
  function near(item) {
    const at = rows.findIndex((row) => String(row[0]) === item);
    if (at < 0) return null;
    return rows
      .map((row, i) => {
        const dot = factors[at].reduce((total, value, k) => total + value * factors[i][k], 0);
        return [String(row[0]), lengths[at] * lengths[i] > 0 ? dot / (lengths[at] * lengths[i]) : 0, i];
      })
      .filter(([, , i]) => i !== at)
      .sort((a, b) => b[1] - a[1] || a[2] - b[2])
      .slice(0, kNearest)
      .map(([name, cosine]) => [name, Number(cosine.toPrecision(6))]);
  }
  const draw = (item, found) => box.replaceChildren(barTable(`Items nearest to ${item}`, ['item', 'cosine'], found));
  function show(item) {
    ++asked;
    command.textContent = `rota similar ${app} --model=DIR --item=${shellWord(item)}`;
    draw(item, near(item));
    says.textContent = !cut
      ? ''
      : `Among the first ${number(rows.length)} items of the model.${ask ? ' Enter compares it with all.' : ''}`;
  }
  // The server is asked only by who chooses an item, not while it is typed.
  async function choose(item) {
    if (rows.some((row) => String(row[0]) === item)) show(item);
    if (!cut || !ask || !item) return;
    const mine = ++asked;
    says.textContent = 'Comparing it with all items …';
    try {
      const answer = await ask(item);
      if (mine !== asked) return;
      draw(
        item,
        answer.rows.map(([name, cosine]) => [String(name), cosine]),
      );
      says.textContent = 'Among all items of the model.';
    } catch (error) {
      if (mine === asked) says.textContent = error.message;
    }
  }
  list();
  const meaning =
    'Items are near if their factors point in the same direction: the cosine is 1 then, and 0 if they have nothing in common.';
  const controls = el('div', { class: 'controls' }, find, el('label', { class: 'select' }, 'Item ', names));
  return [section('Nearest items', el('p', { class: 'note' }, meaning), controls, says, box, command)];
}
