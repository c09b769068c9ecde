// Reads texts with a grammar of tree-sitter, without its generator: for tests on machines that do not have it.
//
// usage: node recognise.js GRAMMAR.js TEXT…
//
// Prints `TEXT: ok`, or the line of the first token that no rule accepts. Tokens are chosen as tree-sitter does: those
// that a rule can accept, the longest first, texts before patterns. Rules are tried in all ways.
'use strict';
const fs = require('fs');
const path = require('path');

const rule = (value) => value instanceof RegExp ? {kind: 'token', pattern: value.source} :
  typeof value === 'string' ? {kind: 'token', text: value} : value;
const wrap = (...parts) => rule(parts[parts.length - 1]);
const made = {};
Object.assign(globalThis, {
  grammar: (one) => Object.assign(made, one),
  seq: (...parts) => ({kind: 'seq', parts: parts.map(rule)}),
  choice: (...parts) => ({kind: 'choice', parts: parts.map(rule)}),
  repeat: (part) => ({kind: 'repeat', part: rule(part)}),
  repeat1: (part) => ({kind: 'seq', parts: [rule(part), {kind: 'repeat', part: rule(part)}]}),
  optional: (part) => ({kind: 'choice', parts: [rule(part), {kind: 'seq', parts: []}]}),
  field: (name, part) => rule(part),
  alias: (part) => rule(part),
  prec: Object.assign(wrap, {left: wrap, right: wrap}),
  token: (part) => ({kind: 'token', pattern: source(rule(part))}),
});

function source(part) {
  if (part.kind === 'token') return part.pattern ?? part.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const parts = part.parts.map((one) => '(?:' + source(one) + ')');
  return part.kind === 'seq' ? parts.join('') : parts.join('|');
}

require(path.resolve(process.argv[2]));
const used = new Set(['source_file']);
const names = new Proxy({}, {get: (_, name) => (used.add(name), {kind: 'name', name})});
const rules = {};
for (const name in made.rules) rules[name] = rule(made.rules[name](names));
const extras = made.extras(names).map((one) => rule(one)).map((one) => one.kind === 'name' ? rules[one.name] : one);
for (const name of used) if (!rules[name]) throw new Error('no rule ' + name);
for (const name in rules) if (!used.has(name)) throw new Error('no use of rule ' + name);

const compile = (one) => one.expression ??= new RegExp(source(one), 'y');
const isWord = /^[A-Za-z_%$][\w$]*$/;

// The end of a token at the place, or -1. A text that is a word ends where the word ends.
function match(text, at, token) {
  if (token.text !== undefined) {
    if (!text.startsWith(token.text, at)) return -1;
    const end = at + token.text.length;
    const more = isWord.test(token.text) || /^\.\w/.test(token.text);
    return more && /[\w$]/.test(text[end] ?? '') || (/^\.\w/.test(token.text) && /^::\w/.test(text.slice(end, end + 3))) ? -1 : end;
  }
  const expression = compile(token);
  expression.lastIndex = at;
  const found = expression.exec(text);
  return found && found[0].length ? expression.lastIndex : -1;
}

function skip(text, at) {
  for (let moved = true; moved;) {
    moved = false;
    for (const one of extras) {
      const end = match(text, at, one);
      if (end > at) [at, moved] = [end, true];
    }
  }
  return at;
}

// Earley: sets of [rule, dot, start]; nested parts become rules of their own.
const productions = new Map(), tokens = [];
function symbol(part) {
  if (part.kind === 'name') return part.name;
  if (part.kind === 'token') {
    part.id ??= (tokens.push(part), 't' + tokens.length);
    productions.set(part.id, part);
    return part.id;
  }
  if (part.id) return part.id;
  part.id = 'n' + productions.size;
  productions.set(part.id, null);
  const alternatives = part.kind === 'choice' ? part.parts.map((one) => [symbol(one)]) :
    part.kind === 'repeat' ? [[], [part.id, symbol(part.part)]] : [part.parts.map(symbol)];
  productions.set(part.id, alternatives);
  return part.id;
}
for (const name in rules) productions.set(name, [[symbol(rules[name])]]);
const empty = new Set();
for (let changed = true; changed;) {
  changed = false;
  for (const [name, all] of productions)
    if (Array.isArray(all) && !empty.has(name) && all.some((one) => one.every((part) => empty.has(part))))
      changed = !!empty.add(name);
}

function recognise(text) {
  const sets = new Map();
  const add = (at, name, body, dot, from) => {
    if (!sets.has(at)) sets.set(at, {items: [], keys: new Set(), waiting: new Map()});
    const set = sets.get(at), key = name + '/' + body.key + '/' + dot + '/' + from;
    if (!set.keys.has(key)) {
      set.keys.add(key);
      set.items.push([name, body, dot, from]);
    }
  };
  let count = 0;
  for (const all of productions.values())
    if (Array.isArray(all)) for (const one of all) one.key ??= ++count;
  const begin = skip(text, 0);
  const start = ['source_file'];
  start.key = 0;
  add(begin, '', start, 0, begin);
  let farthest = begin;
  for (;;) {
    const open = [...sets.keys()].filter((at) => !sets.get(at).done).sort((a, b) => a - b);
    if (!open.length) break;
    const at = open[0], set = sets.get(at), wanted = new Map();
    farthest = at;
    set.done = true;
    for (let i = 0; i < set.items.length; i++) {
      const [name, body, dot, from] = set.items[i];
      if (dot === body.length) {
        for (const [upper, above, place, back] of sets.get(from).waiting.get(name) ?? []) add(at, upper, above, place + 1, back);
        continue;
      }
      const next = body[dot];
      if (!set.waiting.has(next)) set.waiting.set(next, []);
      set.waiting.get(next).push(set.items[i]);
      const all = productions.get(next);
      if (!Array.isArray(all)) wanted.set(next, all);
      else for (const one of all) add(at, next, one, 0, at);
      if (empty.has(next)) add(at, name, body, dot + 1, from);
    }
    if (at === text.length) return sets.get(at).keys.has('/0/1/' + begin) ? -1 : at;
    let best = -1, chosen = [];
    for (const [id, token] of wanted) {
      const end = match(text, at, token), rank = end * 2 + (token.text !== undefined);
      if (end < 0 || rank < best) continue;
      if (rank > best) chosen = [];
      best = rank;
      chosen.push(id);
    }
    // What was parsed before is no longer needed, but for the sets in which open rules began.
    for (const id of chosen)
      for (const [name, body, dot, from] of set.waiting.get(id)) add(skip(text, best >> 1), name, body, dot + 1, from);
  }
  return farthest;
}

for (const file of process.argv.slice(3)) {
  const text = fs.readFileSync(file, 'latin1');
  const at = recognise(text);
  console.log(file + ': ' + (at < 0 ? 'ok' : 'line ' + text.slice(0, at).split('\n').length));
}
