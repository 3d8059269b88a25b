// topic_viewer.js -- the topics of LDA in the manner of LDAvis (Sievert and Shirley, 2014): their map, and the most
// relevant words of the one that the reader chooses.
import { el, number, plural } from './base.js';
import { barTable, section, slider } from './parts.js';
import { pointMap } from './point_map.js';

const kWords = 30;
const kTenths = 6; // of lambda at first: what served readers best in their study

// The map is a table of topic, x, y, tokens; words one of topic, word, count, all_count; topics one of topic, alpha,
// tokens, words.
export function topicViewer(map, words, topics) {
  const ofTopic = Map.groupBy(words.rows, (row) => row[0]);
  const text = new Map(topics?.rows.map((row) => [row[0], String(row[3])]));
  const sizes = [...map.rows].sort((a, b) => b[3] - a[3]);
  const first = (topic) => (text.get(topic) ?? '').split(' ', 3).join(' ');
  const list = el('select', { onchange: () => choose(Number(list.value)) });
  const find = el('input', {
    type: 'search',
    placeholder: 'Find topics by their words',
    'aria-label': 'Find topics by their words',
    oninput: () => search(),
  });
  const count = el('p', { class: 'note', role: 'status' });
  const lambda = slider('λ', (tenths) => show(tenths));
  const title = el('h2', {}),
    bars = el('div', { class: 'bar-table' });
  const picture = pointMap(
    map,
    (row) => text.get(row[0]),
    (row) => choose(row[0]),
  );
  let chosen = sizes[0][0];

  // Topics with a word that begins like this, or of this number.
  function search() {
    const wanted = find.value.trim().toLowerCase();
    const begins = (word) => String(word).toLowerCase().startsWith(wanted);
    const found = sizes.filter(
      ([topic]) =>
        String(topic) === wanted ||
        (text.get(topic) ?? '').split(' ').some(begins) ||
        (ofTopic.get(topic) ?? []).some(([, word]) => begins(word)),
    );
    list.replaceChildren(
      ...found.map(([topic, , , tokens]) =>
        el('option', { value: topic }, `${topic}: ${first(topic)}, ${number(tokens)} tokens`),
      ),
    );
    list.disabled = found.length === 0;
    picture.fade(wanted ? new Set(found.map(([topic]) => topic)) : null);
    count.textContent = wanted ? `${found.length} of ${plural(sizes.length, 'topic')}` : '';
    if (found.length) choose(found.some(([topic]) => topic === chosen) ? chosen : found[0][0]);
  }
  function choose(topic) {
    chosen = topic;
    if (![...list.options].some((option) => Number(option.value) === topic)) ((find.value = ''), search());
    list.value = topic;
    picture.choose(topic);
    show(lambda.value);
  }
  function show(tenths) {
    lambda.set(tenths, 10, String(tenths / 10));
    title.textContent = `Words of topic ${chosen}`;
    // lambda log p(w|t) + (1 - lambda) log (p(w|t) / p(w)), without what is the same for all words of the topic; rounded,
    // so that 4 of 10 and 6 of 15 are equal
    const relevance = ([, , count, all]) => Math.fround(Math.log(count) - (1 - tenths / 10) * Math.log(all));
    const found = (ofTopic.get(chosen) ?? [])
      .map((row) => ({ row, score: relevance(row) }))
      .sort((a, b) => b.score - a.score || b.row[2] - a.row[2])
      .slice(0, kWords);
    if (found.length === 0) return bars.replaceChildren(el('p', {}, text.get(chosen) || 'It has no words.'));
    const rows = found.map(({ row: [, word, count, all] }) => [String(word), count, all]);
    bars.replaceChildren(barTable(`Words of topic ${chosen}`, ['word', 'in the topic', 'in all topics'], rows));
  }
  lambda.set(kTenths, 10, String(kTenths / 10));
  search();
  const meaning =
    'Dark bars count a word’s tokens in the topic, light ones in all topics. λ orders the words: ' +
    '1 by their number in the topic, 0 by the share of their tokens that is in it.';
  return el(
    'div',
    { class: 'split' },
    section('Map of the topics', el('p', { class: 'note' }, 'Topics with similar words are close.'), picture.nodes),
    el(
      'section',
      { class: 'card' },
      title,
      el('div', { class: 'controls' }, find, el('label', { class: 'select' }, 'Topic ', list), lambda.node),
      count,
      el('p', { class: 'note' }, meaning),
      bars,
    ),
  );
}
