// browser.mjs -- Debian's Chromium, driven by playwright-core; what is wrong with a page is collected.
import fs from 'node:fs';
import os from 'node:os';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const modules =
  process.env.ROTA_NPM_MODULES || fileURLToPath(new URL('../../deploy/npm/node_modules', import.meta.url));
const require = createRequire(`${modules}/`);
const kChromium = '/usr/bin/chromium';

// Why these tests cannot run here, or false.
export function missing() {
  if (parseInt(process.versions.node, 10) < 20) return `node is ${process.versions.node}, and 20 is needed`;
  if (!fs.existsSync(kChromium)) return `${kChromium} is missing: deploy/setup.sh tests`;
  if (!fs.existsSync(`${modules}/playwright-core`))
    return `playwright-core is missing in ${modules}: deploy/setup.sh tests`;
  return false;
}

export async function launch() {
  const { chromium } = require('playwright-core');
  const flags = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  flags.push('--disable-component-update', '--disable-sync');
  if (os.userInfo().uid === 0) flags.push('--no-sandbox');
  return chromium.launch({ executablePath: kChromium, args: flags });
}

// A page whose console errors and exceptions are collected in `errors`.  Other tests make network namespaces; Chromium
// then breaks its connections (ERR_NETWORK_CHANGED), which is no fault of the page: it is loaded again.
export async function openPage(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options });
  page.setDefaultTimeout(15000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack));
  page.on('console', (message) => {
    const broken = message.text().includes('ERR_NETWORK_CHANGED');
    if (message.type() === 'error' && !broken) errors.push(message.text());
  });
  return Object.assign(page, { errors });
}

export async function visit(page, url) {
  for (let turn = 0; ; ++turn) {
    await page.evaluate(() => document.getElementById('main')?.replaceChildren()); // what another # has shown
    await page.goto(url);
    try {
      await page.waitForSelector('main > :not(.note)', { state: 'attached', timeout: turn < 3 ? 4000 : 15000 });
      return;
    } catch (error) {
      if (turn === 3) throw new Error(`${url} shows nothing but: ${await page.textContent('main')}`, { cause: error });
      await page.goto('about:blank'); // so that the next goto() loads it, whatever follows the #
    }
  }
}

// Violations of accessibility rules, as text.
export async function axe(page) {
  await page.evaluate(fs.readFileSync(`${modules}/axe-core/axe.min.js`, 'utf8'));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}

// How much wider the page is than its window.
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
