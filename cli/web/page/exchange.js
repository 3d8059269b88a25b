// exchange.js -- which shards send to which in an exchange, as a graph of its steps.
//
// The dataflows of rota/exchange/dataflows.h: a step is a list of receivers for each shard.
import { el, plural, svg } from './base.js';
import { recordsTable, section, slider } from './parts.js';

const range = (count) => Array.from({ length: count }, (_, i) => i);

// Every shard to every other.
const toAll = (shards) => [range(shards).map((s) => range(shards).filter((to) => to !== s))];

// Shard s to s + S/2, s + S/4, s + 3S/4, ...: the points of a Halton sequence of base 2, log2 S of them.
function halton(shards) {
  const wanted = Math.ceil(Math.log2(shards)),
    point = (i) => parseInt([...i.toString(2)].reverse().join(''), 2) / 2 ** i.toString(2).length;
  return [
    range(shards).map((s) => {
      const to = new Set();
      for (let i = 1; to.size < wanted; ++i) {
        const receiver = (s + Math.floor(point(i) * shards)) % shards;
        if (receiver !== s) to.add(receiver);
      }
      return [...to].sort((a, b) => a - b);
    }),
  ];
}

// Butterfly mixing: in round t shards whose numbers differ in bit t; or, if S is no power of two, s to s + 2^t.
function mixing(shards) {
  const rounds = Math.max(1, Math.ceil(Math.log2(shards))),
    power = 2 ** rounds === shards;
  return range(rounds).map((t) => range(shards).map((s) => [power ? s ^ (2 ** t) : (s + 2 ** t) % shards]));
}

// A nested butterfly with the prime factors of S as degrees: in each layer a shard sends to those that differ from it
// in the digit of that layer only; then the layers again, the last one first.
function nested(shards) {
  const degrees = [];
  for (let rest = shards, p = 2; rest > 1; rest % p === 0 ? (degrees.unshift(p), (rest /= p)) : ++p);
  const layers = degrees.map((degree, layer) => {
    const stride = degrees.slice(0, layer).reduce((product, each) => product * each, 1);
    const digit = (s) => Math.floor(s / stride) % degree;
    return range(shards).map((s) =>
      range(degree)
        .filter((q) => q !== digit(s))
        .map((q) => s + (q - digit(s)) * stride),
    );
  });
  return [...layers, ...layers.toReversed()];
}

// The steps of --exchange=KIND; null if its graph is not known here.
const kFlows = { alltoall: toAll, halton, butterfly: mixing, allreduce: nested, sparse: nested };
export const stepsOf = (kind, shards) => (shards > 1 ? (kFlows[kind]?.(shards) ?? null) : null);

const kGraph = 400, // the picture's width and height
  kGraphRadius = 165;

export function exchangePart(run, shards) {
  const kind = run.option('exchange'),
    steps = stepsOf(kind, shards);
  if (!steps) return null;
  const picture = svg('svg', { class: 'ring', viewBox: `0 0 ${kGraph} ${kGraph}`, 'aria-hidden': 'true' });
  const says = el('p', { 'aria-live': 'polite' });
  let at = 0;
  const step = slider('Step', (value) => {
    at = value;
    show();
  });
  const sends = recordsTable(
    'Who sends to whom in this step, as a table',
    () => [
      { name: 'shard', value: (row) => row.shard },
      { name: 'sends to shards', value: (row) => row.to.join(', ') },
    ],
    () => steps[at].map((to, shard) => ({ shard, to })),
  );
  const node = section(
    `Exchange: ${kind}`,
    el('div', { class: 'split' }, picture, el('div', {}, step.node, says, sends.node)),
  );

  function show() {
    const place = (shard, radius = kGraphRadius) => {
      const turn = (2 * Math.PI * shard) / shards;
      return [kGraph / 2 + radius * Math.sin(turn), kGraph / 2 - radius * Math.cos(turn)];
    };
    const size = Math.min(15, (0.8 * Math.PI * kGraphRadius) / shards);
    const lines = steps[at].flatMap((receivers, shard) =>
      receivers.map((to) => {
        const [x1, y1] = place(shard),
          [x2, y2] = place(to);
        return svg('line', { class: 'chord', x1, y1, x2, y2 });
      }),
    );
    const shapes = range(shards).flatMap((shard) => {
      const [x, y] = place(shard);
      const label = size > 8 && svg('text', { x, y: y + 4, 'text-anchor': 'middle' }, `${shard}`);
      return [svg('circle', { class: 'shard', cx: x, cy: y, r: size }), label].filter(Boolean);
    });
    picture.replaceChildren(...lines, ...shapes);
    const messages = steps[at].reduce((total, receivers) => total + receivers.length, 0);
    says.textContent =
      `${plural(shards, 'data shard')}: in step ${at + 1} of ${steps.length} they send ` +
      `${plural(messages, 'message')} to each other; those between shards of one worker stay in its memory.`;
    step.node.hidden = steps.length < 2;
    step.set(at, steps.length - 1, `${at + 1} of ${steps.length}`);
    sends.update();
  }
  show();
  return node;
}
