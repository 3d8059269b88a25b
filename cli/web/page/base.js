// base.js -- making elements, and numbers, sizes and times as text.

// An element.  `on...` attributes are handlers, `style` is an object; children are elements or text, never markup.
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

// A number of at most `digits` significant digits, for reading; tables show all digits instead.
export function number(value, digits = 6) {
  if (!isNumber(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3).replace('-', '−');
  return value
    .toLocaleString('en-US', size >= 10 ** digits ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits })
    .replace('-', '−');
}

// The same as an element that keeps the exact value.
export function figure(value, digits) {
  return isNumber(value) ? el('data', { value: String(value) }, number(value, digits)) : '–';
}

export const percent = (share) => (isNumber(share) ? `${number(100 * share, share < 0.0995 ? 2 : 3)} %` : '–');

function scaled(value, step, units) {
  let at = 0;
  for (; Math.abs(value) >= step && at + 1 < units.length; ++at) value /= step;
  return `${number(value, 3)} ${units[at]}`.trim();
}
export const bytes = (value) => (isNumber(value) ? scaled(value, 1000, ['B', 'kB', 'MB', 'GB', 'TB']) : '–');
export const amount = (value) => (isNumber(value) ? scaled(value, 1000, ['', 'k', 'M', 'G', 'T']) : '–');

// A length of time: 0.25 s, 12 s, 3 min 5 s, 2 h 10 min, 4 d 3 h.
export function duration(seconds) {
  if (!isNumber(seconds)) return '–';
  const s = Math.max(seconds, 0);
  if (s < 60) return `${number(s, s < 10 ? 2 : 3)} s`;
  const pair = (large, small, size, per) => {
    const whole = Math.round(s / small);
    return `${Math.floor(whole / per)} ${large}${whole % per ? ` ${whole % per} ${size}` : ''}`;
  };
  if (s < 3600) return pair('min', 1, 's', 60);
  if (s < 86400) return pair('h', 60, 'min', 60);
  return pair('d', 3600, 'h', 24);
}

const two = (value) => String(value).padStart(2, '0');
export function clock(time) {
  const date = new Date(time * 1000);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
export function day(time) {
  const date = new Date(time * 1000);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`;
}

export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

// "a, b and c", with at most `most` of them named.
export function list(names, most = 4) {
  if (names.length > most) return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A word of a shell's command.
export const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export const last = (array) => array[array.length - 1];
export const sum = (array) => array.reduce((total, value) => total + value, 0);
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b),
    half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
