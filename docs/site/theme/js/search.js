// Finds pages by exact text, so that options (--sample-ctas), registers (%tid), keys (core.warps), statistics and rules
// are found as they are written. `texts` in texts.js has a list of [location, title, text, title of the page].
'use strict';

// The places of a word, and how many of them are whole words.
function places(text, word) {
  const found = {first: -1, all: 0, whole: 0};
  for (let at = text.indexOf(word); at >= 0 && found.all < 3; at = text.indexOf(word, at + word.length)) {
    if (found.first < 0) found.first = at;
    found.all++;
    found.whole += !/[\w%]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + word.length] ?? ' ');
  }
  return found;
}

// The value of a section for all words; 0 if it does not have one of them.
function value(title, text, words) {
  let sum = 0;
  for (const word of words) {
    const named = places(title, word), found = places(text, word);
    if (!named.all && !found.all) return 0;
    sum += 40 * named.whole + 10 * named.all + 5 * found.whole + found.all;
  }
  return sum;
}

// References and guides come before results; sections before the pages that contain them.
const WEIGHTS = [[/^docs\/(reference|names)/, 4], [/^docs\/guide/, 3], [/^docs\/design|^README|^index/, 2]];
function weight(location) {
  const found = WEIGHTS.find(([pattern]) => pattern.test(location));
  return (found ? found[1] : 1) * (location.includes('#') ? 1 : 0.3);
}

// Returns [sections, words that were searched].
function search(query) {
  let words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (words) => words.length ? texts.map(([location, title, text, page]) =>
    ({location, title: page === title ? title : `${page}: ${title}`, text, value: weight(location) * value(title.toLowerCase(), text.toLowerCase(), words)}))
    .filter((one) => one.value).sort((a, b) => b.value - a.value) : [];
  let found = rank(words);
  // A key or statistic with the name of its section, which a table may not repeat.
  if (!found.length && words.some((word) => word.includes('.'))) {
    words = words.map((word) => word.split('.').pop()).filter(Boolean);
    found = rank(words);
  }
  return [found.slice(0, 50), words];
}

// A part of the text around the first word, with the words marked.
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const first = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0).concat([1e9])) % 1e9 - 80);
  const part = text.slice(first, first + 240), paragraph = document.createElement('p');
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi');
  let at = 0;
  for (const one of part.matchAll(pattern)) {
    paragraph.append(part.slice(at, one.index));
    const mark = document.createElement('mark');
    mark.textContent = one[0];
    paragraph.append(mark);
    at = one.index + one[0].length;
  }
  paragraph.append(part.slice(at));
  return paragraph;
}

function show(query) {
  const results = document.getElementById('mkdocs-search-results'), [found, words] = search(query);
  results.textContent = found.length ? '' : results.dataset.noResultsText;
  for (const one of found) {
    const article = document.createElement('article'), heading = document.createElement('h3');
    const link = document.createElement('a');
    link.href = (base_url === '.' ? '' : base_url + '/') + one.location;
    link.textContent = one.title;
    heading.append(link);
    article.append(heading, excerpt(one.text, words));
    results.append(article);
  }
}

const field = document.getElementById('mkdocs-search-query');
field.value = new URLSearchParams(location.search).get('q') ?? '';
field.addEventListener('input', () => show(field.value));
show(field.value);
