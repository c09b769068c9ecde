'use strict';
(() => {
  const $ = id => document.getElementById(id);
  const module = JSON.parse($('module').textContent);
  const kernels = module.kernels;
  const LONGEST = 2000; // characters of a line that are shown
  const CHUNK = 200; // lines that are drawn together

  const esc = text => String(text).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
  const plural = (n, what) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
  // A number with at most ten digits and a minus sign.
  const num = n => String(+n.toPrecision(10)).replace('-', '−');
  // A number rounded for reading: an estimate has no more digits.
  const brief = n => num(Math.abs(n) >= 1000 ? Math.round(n) : +n.toPrecision(4));
  const signed = n => (n > 0 ? '+' : '') + num(n);
  const signedBrief = n => (n > 0 ? '+' : '') + brief(n);
  const sub = (name, index) => `${name}<sub>${index}</sub>`;

  // Returns the short form of a mangled name: the last of its names, without arguments.
  function short(name) {
    const nested = /^_ZN?[KL]*(?:St)?/.exec(name);
    if (!nested) return name;
    let at = nested[0].length, last = '';
    for (let length; (length = /^L?(\d+)/.exec(name.slice(at))); at += +length[1]) {
      at += length[0].length;
      last = name.slice(at, at + +length[1]);
    }
    return last ? last + (name[at] === 'I' ? '<…>' : '') : name;
  }

  const called = new Map(); // number of kernels with a short name
  kernels.forEach((kernel, index) => {
    kernel.short = short(kernel.name);
    const same = (called.get(kernel.short) || 0) + 1;
    called.set(kernel.short, same);
    kernel.stem = kernel.short;
    kernel.nth = same > 1 ? ' ' + same : '';
    kernel.short += kernel.nth;
    kernel.index = index;
    kernel.low = kernel.name.toLowerCase();
  });

  // Marks a kernel whose chains cores cannot compute: its shared memory leaves no room for the queue.
  const full = kernel => kernel.chains && !kernel.queue
    ? ' <span class="full" title="Its shared memory leaves no room for the service queue: no core computes its chains">no queue</span>' : '';

  // The summary of all kernels

  const sum = key => kernels.reduce((total, kernel) => total + kernel[key], 0);

  function total() {
    const SHOWN = 3;
    const all = Object.entries(module.reasons).flatMap(([kind, list]) => list.map(([rule, count]) => ({ kind, rule, count })));
    const rejected = all.reduce((many, one) => many + one.count, 0);
    const most = [...all].sort((a, b) => b.count - a.count).slice(0, SHOWN).map(one => `${one.count.toLocaleString('en')} ${esc(one.rule)}`);
    const chosen = sum('chosen'), chains = sum('chains');
    const saves = (count, what) => count ? `${count === 1 ? ' saves' : ' save'} ${what}` : '';
    const facts = [`<b>${plural(kernels.length, 'kernel')}</b>`,
      `<b>${plural(chains, 'chain')}</b>` + saves(chains, `${sum('flits').toLocaleString('en')} flits per warp and hop (${brief(sum('expected'))} expected)`),
      `<b>${chosen.toLocaleString('en')} of ${plural(sum('blocks'), 'block')}</b> selected for offloading${chosen ? ',' : ''}` + saves(chosen, `${brief(sum('words'))} words per warp`),
      `<b>${rejected.toLocaleString('en')} rejected</b>${rejected ? `: ${most.join(', ')}${all.length > SHOWN ? ', …' : ''}` : ''}`];
    $('total').innerHTML = facts.map(fact => `<span>${fact}</span>`).join(' ');
    $('reasons').tBodies[0].innerHTML = all.map((one, at) => `<tr><th scope="row">${at && all[at - 1].kind === one.kind ? '' : one.kind}</th>` +
      `<td class="number">${one.count.toLocaleString('en')}</td><td class="rule">${esc(one.rule)}</td><td>${esc(module.rules[one.rule])}</td></tr>`).join('');
    $('reasons').hidden = !all.length;
  }

  // The list of kernels

  const order = { key: 'flits', down: true };
  let shown = [], current = null;

  function list() {
    const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = kernels.filter(kernel => words.every(word => kernel.low.includes(word)));
    const by = order.key, sign = order.down ? -1 : 1;
    shown.sort((a, b) => by === 'name' ? (a.low < b.low ? -1 : a.low > b.low ? 1 : 0) * sign || a.index - b.index
      : (a[by] - b[by]) * sign || (a.words - b.words) * sign || a.index - b.index);
    const row = kernel => `<tr data-k="${kernel.index}"${kernel.flits || kernel.words ? '' : ' class="none"'}` +
      `${current && current.index === kernel.index ? ' aria-current="true"' : ''}>` +
      `<td><button type="button" class="name" title="${esc(kernel.name)}"><span class="stem">${esc(kernel.stem)}</span>${kernel.nth}${full(kernel)}</button></td>` +
      `<td class="number">${kernel.flits || '–'}</td><td class="number">${kernel.words ? brief(kernel.words) : '–'}</td></tr>`;
    $('kernels').innerHTML = shown.map(row).join('');
    $('count').textContent = shown.length === kernels.length ? plural(kernels.length, 'kernel') + ', savings per warp'
      : `${shown.length.toLocaleString('en')} of ${plural(kernels.length, 'kernel')}`;
    for (const th of document.querySelectorAll('.list th')) {
      const active = th.firstElementChild.dataset.sort === order.key;
      if (active) th.setAttribute('aria-sort', order.down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    }
  }

  // One kernel

  const parsed = new Map(); // cache of a few kernels, most recent last

  function load(index) {
    let data = parsed.get(index);
    if (!data) {
      data = JSON.parse($('k' + index).textContent);
      prepare(data);
    }
    parsed.delete(index);
    parsed.set(index, data);
    if (parsed.size > 4) parsed.delete(parsed.keys().next().value);
    return data;
  }

  const state = block => block.candidate && !block.passed_over ? (block.condition ? 'maybe' : 'good') : 'off';

  function push(map, key, value) {
    if (map.has(key)) map.get(key).push(value);
    else map.set(key, [value]);
  }

  // Sorts the kernel's items by line.
  function prepare(k) {
    k.lines = k.text.split('\n').map(line => line.replace(/\r$/, ''));
    k.marks = new Map();
    k.heads = new Map();
    k.pills = new Map();
    k.cuda = new Map(k.source.map(([at, place, text]) => [at, { place, text: text.trim() }]));
    k.tags = new Map();
    k.chains.forEach((chain, id) => {
      for (const inst of chain.instructions) {
        push(k.marks, inst.at[0], { from: inst.at[1], to: inst.at[2] > inst.at[0] ? Infinity : inst.at[3], chain: id });
        push(k.tags, inst.at[0], { chain: id, tag: inst.tag });
      }
    });
    for (const marks of k.marks.values()) marks.sort((a, b) => a.from - b.from);
    k.blocks.forEach((block, id) => push(k.heads, block.begin_line, id));
    k.reason = new Map(); // of a block: the remark that rejects it
    k.remarks.forEach((remark, id) => {
      const block = remark.kind === 'block' && !remark.passed && k.blocks.findIndex((one, at) =>
        !k.reason.has(at) && one.begin_line === remark.at[0] && state(one) === 'off' &&
        remark.text.startsWith(`${one.kind} on line`) && spans(remark.text, one));
      if (remark.kind === 'kernel' || (remark.passed && remark.kind === 'block')) return;
      if (block !== false && block >= 0) k.reason.set(block, remark);
      else push(k.pills, remark.at[0], id);
    });
    lanes(k);
    comments(k);
  }

  const spans = (text, block) => text.startsWith(block.begin_line === block.end_line
    ? `${block.kind} on line ${block.begin_line} ` : `${block.kind} on lines ${block.begin_line} to ${block.end_line} `);

  // Assigns a column next to the text to each block; inner blocks are further right.
  function lanes(k) {
    const MOST = 6, open = [];
    k.bars = new Map();
    k.lanes = 0;
    k.blocks.forEach((block, id) => {
      while (open.length && open[open.length - 1].end_line < block.begin_line) open.pop();
      const lane = Math.min(open.length, MOST - 1);
      open.push(block);
      block.lane = lane;
      k.lanes = Math.max(k.lanes, lane + 1);
    });
    k.starts = k.blocks.map((block, id) => id).sort((a, b) => k.blocks[a].begin_line - k.blocks[b].begin_line);
  }

  // Finds the lines that start within a comment.
  function comments(k) {
    k.inside = new Set();
    if (!k.text.includes('/*')) return;
    let inside = false;
    k.lines.forEach((line, at) => {
      if (inside) k.inside.add(at);
      for (let i = 0; i < line.length;) {
        if (inside) {
          const end = line.indexOf('*/', i);
          if (end < 0) return;
          inside = false;
          i = end + 2;
        } else {
          const begin = line.indexOf('/*', i), other = line.indexOf('//', i);
          if (begin < 0 || (other >= 0 && other < begin)) return;
          inside = true;
          i = begin + 2;
        }
      }
    });
  }

  // Colours

  const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?)|([$\w]+:(?!:))|(\.[A-Za-z_]\w*)|(%[\w$.]+)|(\b(?:0[xXfFdD][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)U?\b)|([A-Za-z_$][\w$]*(?:(?:\.|::)\w+)*)/g;
  const KINDS = ['', 'c', 's', 'l', 'd', '', 'n', 'o'];

  function colours(text, first) {
    let out = '', at = 0, opcode = first;
    for (const match of text.matchAll(TOKEN)) {
      let kind = 1;
      while (!match[kind]) kind++;
      out += esc(text.slice(at, match.index));
      const between = text.slice(at, match.index);
      if (/[;{}]/.test(between)) opcode = true;
      at = match.index + match[0].length;
      let name = KINDS[kind];
      if (kind === 7) {
        name = opcode && !/[(,[]/.test(text[match.index - 1] || '') ? 'o' : '';
        opcode = false;
      } else if (kind === 4 && opcode) {
        opcode = false;
      }
      out += name ? `<span class="t-${name}">${esc(match[0])}</span>` : esc(match[0]);
    }
    return out + esc(text.slice(at));
  }

  function code(k, index, number) {
    let line = k.lines[index], more = '';
    if (line.length > LONGEST) {
      more = `<span class="t-c"> … ${plural(line.length - LONGEST, 'more letter')}</span>`;
      line = line.slice(0, LONGEST);
    }
    if (k.inside.has(index)) {
      const end = line.indexOf('*/');
      const head = end < 0 ? line : line.slice(0, end + 2);
      return `<span class="t-c">${esc(head)}</span>` + colours(line.slice(head.length), true) + more;
    }
    const marks = k.marks.get(number);
    if (!marks) return colours(line, true) + more;
    let out = '', at = 0;
    for (const mark of marks) {
      const from = Math.max(at, mark.from - 1), to = Math.min(line.length, mark.to - 1);
      if (to <= from) continue;
      out += colours(line.slice(at, from), true) +
        `<mark class="c${mark.chain % 6}" data-chain="${mark.chain}">${colours(line.slice(from, to), true)}</mark>`;
      at = to;
    }
    return out + colours(line.slice(at), true) + more;
  }

  // Keys of what can be opened: `b3` is a block, `r5` a remark, `c2` a chain.

  let view = null; // the kernel that is shown: {k, open, tab}

  // Returns the bars of the blocks that contain the line; with `head`, which precedes the line, of the
  // blocks around it.
  function bars(k, number, head) {
    let out = '';
    for (const block of view.active) {
      if (block.begin_line > number || block.end_line < number) continue;
      if (head && (block.lane >= head.lane || block.begin_line === number)) continue;
      const edge = (block.begin_line === number ? ' first' : '') + (block.end_line === number ? ' last' : '');
      out += `<i class="${state(block)}${edge}" style="left:${6 + 7 * block.lane}px"></i>`;
    }
    return `<span class="lanes">${out}</span>`;
  }

  const verdict = (block, reason) => {
    const what = { loop: 'Loop', block: 'Block', region: 'Region' }[block.kind];
    const where = block.begin_line === block.end_line ? block.begin_line : `${block.begin_line}–${block.end_line}`;
    const at = block.at_threshold.bw_tx + block.at_threshold.bw_rx;
    const head = `<b>${what}</b> ${where}`;
    if (block.passed_over) return `${head} · passed over, would save ${brief(-at)} words`;
    if (!block.candidate) return `${head} · not offloaded${reason ? ': ' + esc(reason.rule) : ''}`;
    if (!block.condition) return `${head} · selected for offloading, saves ${brief(-at)} words per warp`;
    return `${head} · selected for offloading if ${esc(block.condition.value)} ≥ ${num(block.condition.threshold)}, saves ${brief(-at)} words from there on`;
  };

  function head(k, id) {
    const block = k.blocks[id], key = 'b' + id, open = view.open.has(key);
    return `<div class="head" style="--lanes:${view.width}px">${bars(k, block.begin_line, block)}<button type="button" class="${state(block)}" ` +
      `data-key="${key}" aria-expanded="${open}">${verdict(block, k.reason.get(id))}</button></div>` + (open ? panel(k, key) : '');
  }

  // The line of the CUDA source from which on the PTX belongs to it.
  function source(k, number) {
    const from = view.cuda && k.cuda.get(number);
    return from ? `<span class="cuda" title="CUDA source, ${esc(from.place)}"><span class="quiet">${esc(from.place)}</span> <code>${esc(from.text)}</code></span>` : '';
  }

  function row(k, index) {
    const number = k.line + index;
    let out = '';
    for (const id of k.heads.get(number) || [])
      if (view.misses || state(k.blocks[id]) !== 'off') out += head(k, id);
    const tags = k.tags.get(number) || [];
    const chips = tags.map(tag => {
      const key = `c${tag.chain}`;
      return tag.tag === '01' && view.passes
        ? `<button type="button" class="chip c${tag.chain % 6}" data-key="${key}" aria-expanded="${view.open.has(key)}" ` +
          `aria-label="chain ${tag.chain}, tag 01">${tag.chain}·01</button>`
        : `<span class="chip c${tag.chain % 6}">${tag.chain}·${tag.tag}</span>`;
    }).join('');
    const pills = view.misses ? (k.pills.get(number) || []).filter(id => !k.remarks[id].passed) : [];
    const buttons = pills.map(id => {
      const key = 'r' + id, open = view.open.has(key);
      return `<button type="button" class="pill${open ? ' open' : ''}" data-key="${key}" aria-expanded="${open}" ` +
        `title="${esc(module.rules[k.remarks[id].rule])}">${esc(origin(k.remarks[id]) + k.remarks[id].rule)}</button>`;
    }).join('');
    out += `<div class="row" id="L${number}" style="--lanes:${view.width}px">${bars(k, number)}<span class="no">${number}</span>` +
      `<span>${chips}</span><span class="code">${code(k, index, number)}</span><span class="marks">${buttons}${source(k, number)}</span></div>`;
    const opened = tags.filter(tag => tag.tag === '01').map(tag => 'c' + tag.chain).concat(pills.map(id => 'r' + id));
    for (const key of opened) if (view.open.has(key)) out += panel(k, key);
    return out;
  }

  // Panels

  // Returns the place in the CUDA source, with --locations=source: `k.cu:7 `.
  const origin = remark => module.by_source && remark.cuda
    ? `${remark.cuda[0][0].replace(/.*\//, '')}:${remark.cuda[0][1]} ` : '';
  const line = number => `<a href="#k${current.index}-L${number}" data-line="${number}">line ${number}</a>`;
  const cuda = remark => remark && remark.cuda
    ? `<p class="why">CUDA source ${remark.cuda.map(([file, line]) => `<code>${esc(file)}:${line}</code>`).join(', inlined in ')}</p>` : '';

  const sentence = text => esc(text.charAt(0).toUpperCase() + text.slice(1)) + '.';

  function panel(k, key) {
    const id = +key.slice(1), inside = { b: blockPanel, r: remarkPanel, c: chainPanel }[key[0]](k, id);
    return `<div class="panel" id="panel-${key}" style="--lanes:${view.width}px">${inside}</div>`;
  }

  function remarkPanel(k, id) {
    const remark = k.remarks[id];
    const notes = (remark.notes || []).map(note => line(note.at[0])).join(', ');
    return `<p>${sentence(remark.text)}</p>` +
      `<p class="why"><span class="rule">${esc(remark.rule)}</span> · ${esc(module.rules[remark.rule])}` +
      `${notes ? ' · because of ' + notes : ''}</p>` + cuda(remark);
  }

  // Returns the values that a simulated machine measured for a chain or block of this kernel.
  const outcomeOf = (kind, first, last) => module.outcomes && module.outcomes.offloaded.find(one =>
    one.kernel === current.name && one.kind === kind && one.line === first && (kind === 'chain' || one.end_line === last));
  const valueOf = (one, name) => (one.measured.find(value => value.name === name) || {}).value;
  const costs = one => valueOf(one, 'saved') < 0;

  function outcome(one) {
    if (!one) return '';
    const hops = valueOf(one, 'hops of a packet');
    const expected = one.expected_in === 'flits a hop' && hops
      ? `<tr><td>expected to save</td><td class="number">${brief(one.expected * hops)}</td><td>flit hops, at ${brief(hops)} hops of a packet</td></tr>` : '';
    const rows = one.measured.filter(value => value.value && value.name !== 'hops of a packet').map(value =>
      `<tr${value.name === 'saved' && costs(one) ? ' class="costs"' : ''}><td>${esc(value.name)}</td>` +
      `<td class="number">${brief(value.value)}</td><td>${esc(value.unit)}</td></tr>`).join('');
    return `<p><b>Measured</b> by ${esc(module.outcomes.policy)} on ${esc(module.outcomes.machine || '?')}` +
      `${costs(one) ? ': <b class="costs">it costs instead of saving</b>' : ''}</p><table class="outcome"><tbody>${expected}${rows}</tbody></table>`;
  }

  function chainPanel(k, id) {
    const chain = k.chains[id];
    const remark = k.remarks.find(one => one.passed && one.kind === 'chain' && one.item === id);
    const rows = chain.instructions.map(inst =>
      `<tr><td><span class="chip c${id % 6}">${inst.tag}</span></td><td><code>${esc(inst.opcode)}</code></td><td>${line(inst.at[0])}</td></tr>`).join('');
    const alone = chain.saving + 1 + chain.flits;
    return `<p>Chain ${id}: <code>${esc(module.formulas[chain.pattern])}</code>, pattern ${chain.pattern} of Table 1, saves ` +
      `${plural(chain.saving, 'flit')} per warp and hop; <b>${brief(chain.expected)}</b> expected.</p><table><tbody>${rows}</tbody></table>` +
      `<p class="why">${alone} flits for the accesses by themselves, less 1 for the packet and ${chain.flits} for its ` +
      `response (${esc(chain.response)}). Expected: the same with the lines that the accesses touch, and without the loads ` +
      `that a first-level cache serves.</p>` + outcome(outcomeOf('chain', chain.instructions[0].at[0])) + cuda(remark);
  }

  // Returns equations (3) and (4) of TOM with the numbers of this block: as in the paper, or with the
  // counts of the analyses, in words.
  function equations(block, e) {
    const { S_W, S_C } = module, ld = block.loads, st = block.stores, MISS = 0.5, tom = e.cost === 'tom';
    const at = e.saved_tx > 0 ? (e.words_in - e.at_threshold.bw_tx) / e.saved_tx
      : e.saved_rx > 0 ? (e.words_out - e.at_threshold.bw_rx) / e.saved_rx : block.n;
    const tx = n => tom ? `${num(block.reg_tx)}·${S_W} − ${n}·(${ld}·1·${MISS} + ${st}·(${S_W} + 1))` : `${num(e.words_in)} − ${n}·${num(e.saved_tx)}`;
    const rx = n => tom ? `${num(block.reg_rx)}·${S_W} − ${n}·(${ld}·1·${S_C}·${MISS} + ¼·${st}·1)` : `${num(e.words_out)} − ${n}·${num(e.saved_rx)}`;
    const value = n => `<span class="${n < 0 ? 'less' : 'more'}" data-value="${n}">${signed(n)}</span>`;
    const sums = part => {
      const key = 'bw_' + part, terms = part === 'tx' ? tx : rx, n_at = Math.round(at);
      let out = `<div class="sum"><span class="n">n = ${num(block.n)}</span> ${terms(num(block.n))} = ${value(e[key])}</div>`;
      if (n_at !== block.n)
        out += `<div class="sum"><span class="n">n = ${num(n_at)}</span> ${terms(num(n_at))} = ${value(e.at_threshold[key])}</div>`;
      return out;
    };
    const ldn = sub('N', 'LD'), stn = sub('N', 'ST'), cl = sub('Coal', 'LD'), cs = sub('Coal', 'ST'), ml = sub('Miss', 'LD');
    const formula = (part, number) => {
      const bw = sub('BW', part.toUpperCase());
      const paper = part === 'tx' ? `${sub('REG', 'TX')}·${sub('S', 'W')} − n·(${ldn}·${cl}·${ml} + ${stn}·(${sub('S', 'W')} + ${cs}))`
        : `${sub('REG', 'RX')}·${sub('S', 'W')} − n·(${ldn}·${cl}·${sub('S', 'C')}·${ml} + ¼·${stn}·${cs})`;
      const words = part === 'tx' ? 'words sent along − n·(addresses of lines that miss + data and addresses of stores)'
        : 'words coming back − n·(lines that miss + acknowledgments)';
      return `<div class="eq"><div class="formula"><span>${bw} = ${tom ? paper : words}</span><span>(${number}) ${esc(e.cost)}</span></div>${sums(part)}</div>`;
    };
    return formula('tx', 3) + formula('rx', 4);
  }

  function estimates(block) {
    const from = n => n === null ? 'never' : num(n);
    const one = e => `<tr><td>${esc(e.cost)}</td><td class="number">${signedBrief(e.bw_tx)}</td><td class="number">${signedBrief(e.bw_rx)}</td>` +
      `<td class="number">${signedBrief(e.at_threshold.bw_tx + e.at_threshold.bw_rx)}</td><td class="number">${from(e.threshold_tx)}</td>` +
      `<td class="number">${from(e.threshold_rx)}</td><td>${e.candidate ? 'candidate' : 'no candidate'}</td></tr>`;
    return `<table><thead><tr><th>Cost model</th><th class="number">${sub('BW', 'TX')}</th><th class="number">${sub('BW', 'RX')}</th>` +
      `<th class="number">Sum as judged</th><th class="number">TX from n</th><th class="number">RX from n</th><th>Verdict</th></tr></thead>` +
      `<tbody>${[block, ...block.alternatives].map(one).join('')}</tbody></table>`;
  }

  function blockPanel(k, id) {
    const block = k.blocks[id], reason = k.reason.get(id);
    const remark = reason || k.remarks.find(one => one.passed && one.kind === 'block' && one.item === id);
    const names = list => list.length ? list.map(name => `<code>${esc(name)}</code>`).join(', ') : 'none';
    const iterations = { one: 'runs once', constant: `runs ${num(block.n)} times`, unknown: 'iterations not known before',
      counted: `runs <code>${esc(block.trips)}</code> times` }[block.trip];
    return (reason ? `<p>${sentence(reason.text)} <span class="rule">${esc(reason.rule)}</span></p>` : '') +
      `<p>${plural(block.loads, 'load')} and ${plural(block.stores, 'store')}${block.trip === 'one' ? '' : ' an iteration'}; ${iterations}.</p>` +
      [block, ...block.alternatives].map(one => equations(block, one)).join('') + estimates(block) +
      (block.measured.length ? `<p class="why">Measured, of the refined model: ${block.measured.map(esc).join(', ')}</p>` : '') +
      `<p class="why">Sent along (${block.live_in.length}): ${names(block.live_in)}<br>Coming back (${block.live_out.length}): ${names(block.live_out)}</p>` +
      outcome(outcomeOf('block', block.begin_line, block.end_line)) + cuda(remark);
  }

  // The PTX

  function chunks(k) {
    const out = [];
    for (let from = 0; from < k.lines.length; from += CHUNK)
      out.push(`<div class="chunk" data-from="${from}" style="contain-intrinsic-size:auto ${1.36 * Math.min(CHUNK, k.lines.length - from)}rem"></div>`);
    return out.join('');
  }

  function draw(chunk) {
    const { k } = view, from = +chunk.dataset.from, to = Math.min(from + CHUNK, k.lines.length);
    const first = k.line + from, last = k.line + to - 1;
    view.active = k.blocks.filter(block => block.begin_line <= last && block.end_line >= first &&
      (view.misses || state(block) !== 'off'));
    let out = '';
    for (let index = from; index < to; index++) out += row(k, index);
    chunk.innerHTML = out;
    chunk.style.minHeight = '';
    chunk.dataset.drawn = '1';
  }

  let watcher = null;

  function drawAll() {
    for (const chunk of document.querySelectorAll('.chunk:not([data-drawn])')) draw(chunk);
  }

  function drawPtx() {
    const { k } = view;
    view.width = 14 + 7 * Math.max(k.lanes, 1);
    $('body').innerHTML = `<div class="ptx" role="region" aria-label="PTX"><div class="sheet">${chunks(k)}</div></div>`;
    if (watcher) watcher.disconnect();
    const all = document.querySelectorAll('.chunk');
    if (k.lines.length <= 8 * CHUNK) {
      drawAll();
      return;
    }
    for (const chunk of all) chunk.style.minHeight = 1.36 * CHUNK + 'rem';
    watcher = new IntersectionObserver(entries => {
      for (const entry of entries)
        if (entry.isIntersecting && !entry.target.dataset.drawn) draw(entry.target);
    }, { root: $('kernel'), rootMargin: '1200px' });
    for (const chunk of all) watcher.observe(chunk);
    draw(all[0]);
  }

  const chunkOf = number => document.querySelector(`.chunk[data-from="${Math.floor((number - view.k.line) / CHUNK) * CHUNK}"]`);

  function redraw(number) {
    const chunk = chunkOf(number);
    if (chunk && chunk.dataset.drawn) draw(chunk);
  }

  function lineOf(key) {
    const { k } = view, id = +key.slice(1);
    return key[0] === 'b' ? k.blocks[id].begin_line : key[0] === 'r' ? k.remarks[id].at[0] : k.chains[id].instructions.find(inst => inst.tag === '01').at[0];
  }

  // Returns all that can be opened, in the order of the page.
  function stops() {
    const { k } = view;
    if (view.stops) return view.stops;
    const all = [];
    k.blocks.forEach((block, id) => { if (view.misses || state(block) !== 'off') all.push(['b' + id, 0]); });
    if (view.passes) k.chains.forEach((chain, id) => all.push(['c' + id, 1]));
    if (view.misses) for (const ids of k.pills.values()) for (const id of ids) if (!k.remarks[id].passed) all.push(['r' + id, 2]);
    view.stops = all.map(([key, rank], at) => ({ key, rank, at, line: lineOf(key) }))
      .sort((a, b) => a.line - b.line || a.rank - b.rank || a.at - b.at).map(stop => stop.key);
    return view.stops;
  }

  function focusKey(key) {
    const number = lineOf(key), chunk = chunkOf(number);
    if (!chunk) return;
    if (!chunk.dataset.drawn) draw(chunk);
    const button = document.querySelector(`[data-key="${key}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    const opened = $('panel-' + key);
    if (opened) opened.scrollIntoView({ block: 'nearest' });
    button.scrollIntoView({ block: 'nearest' });
    const box = document.querySelector('.ptx');
    if (button.offsetLeft + button.offsetWidth < box.clientWidth) box.scrollLeft = 0;
  }

  function sayAll() {
    const all = stops(), open = all.length > 0 && all.every(key => view.open.has(key));
    $('all').textContent = open ? 'Close all' : 'Open all';
    return open;
  }

  function toggle(key) {
    if (!view.open.delete(key)) view.open.add(key);
    redraw(lineOf(key));
    sayAll();
    focusKey(key);
  }

  function toggleAll() {
    view.open = new Set(sayAll() ? [] : stops());
    sayAll();
    for (const chunk of document.querySelectorAll('.chunk[data-drawn]')) draw(chunk);
  }

  function step(by) {
    if (!view) return;
    if (view.tab !== 'ptx') tab('ptx');
    const all = stops(), active = document.activeElement;
    if (!all.length) return;
    const at = active && active.dataset.key ? all.indexOf(active.dataset.key) : view.at;
    view.at = Math.max(0, Math.min(all.length - 1, at + by));
    focusKey(all[view.at]);
  }

  function goTo(number) {
    if (view.tab !== 'ptx') tab('ptx');
    const chunk = chunkOf(number);
    if (!chunk) return;
    if (!chunk.dataset.drawn) draw(chunk);
    for (const old of document.querySelectorAll('.row.here')) old.classList.remove('here');
    const row = $('L' + number);
    row.classList.add('here');
    row.scrollIntoView({ block: 'center' });
  }

  // The flow graph, in layers: a node is below all its predecessors, except for back edges.

  const NODE = { width: 222, height: 42, gapX: 26, gapY: 34, most: 40000 };

  function layers(graph) {
    const layer = new Array(graph.length).fill(0);
    graph.forEach((node, from) => {
      for (const to of node[6]) if (to > from) layer[to] = Math.max(layer[to], layer[from] + 1);
    });
    const rows = [];
    const items = graph.map((node, id) => ({ id, layer: layer[id], width: NODE.width, up: [], down: [], x: 0, order: 0 }));
    items.forEach(item => (rows[item.layer] = rows[item.layer] || []).push(item));
    // An edge over several layers gets a place in each, unless there are too many places.
    const edges = [];
    let places = 0;
    graph.forEach((node, from) => { for (const to of node[6]) if (to > from) places += layer[to] - layer[from] - 1; });
    graph.forEach((node, from) => node[6].forEach(to => {
      if (to <= from) { edges.push({ from, to, back: true }); return; }
      const path = [items[from]];
      for (let at = layer[from] + 1; at < layer[to] && places <= NODE.most; at++) {
        const item = { id: -1, layer: at, width: 10, up: [], down: [], x: 0, order: 0 };
        rows[at].push(item);
        path.push(item);
      }
      path.push(items[to]);
      for (let i = 1; i < path.length; i++) { path[i - 1].down.push(path[i]); path[i].up.push(path[i - 1]); }
      edges.push({ from, to, path });
    }));
    return { rows, items, edges };
  }

  const mean = list => { let sum = 0; for (const item of list) sum += item.x + item.width / 2; return sum / list.length; };

  function place(rows) {
    const spread = (row, wanted) => {
      let edge = -Infinity;
      const left = [], right = [];
      row.forEach((item, i) => { left[i] = Math.max(wanted[i], edge); edge = left[i] + item.width + NODE.gapX; });
      edge = Infinity;
      for (let i = row.length - 1; i >= 0; i--) { right[i] = Math.min(wanted[i], edge - row[i].width); edge = right[i] - NODE.gapX; }
      row.forEach((item, i) => { item.x = (left[i] + right[i]) / 2; });
    };
    rows.forEach(row => { let x = 0; for (const item of row) { item.x = x; x += item.width + NODE.gapX; } });
    for (let round = 0; round < 6; round++) {
      const down = round % 2 === 0, list = down ? rows : rows.slice().reverse();
      for (const row of list) {
        for (const item of row) { const near = down ? item.up : item.down; item.order = near.length ? mean(near) : item.x + item.width / 2; }
        if (round < 4) row.sort((a, b) => a.order - b.order);
        spread(row, row.map(item => item.order - item.width / 2));
      }
    }
    let least = Infinity;
    for (const row of rows) for (const item of row) least = Math.min(least, item.x);
    for (const row of rows) for (const item of row) item.x -= least;
  }

  function graphOf(k) {
    const { rows, items, edges } = layers(k.graph);
    place(rows);
    const y = item => item.layer * (NODE.height + NODE.gapY) + 12;
    const middle = item => item.x + item.width / 2;
    const parts = [];
    let width = 0;
    for (const row of rows) for (const item of row) width = Math.max(width, item.x + item.width);
    let nested = 0;
    for (const edge of edges) {
      let d;
      if (edge.back) {
        const from = items[edge.from], to = items[edge.to];
        // A back edge goes around the loop's own blocks, which are between the two nodes, and behind others.
        const depth = id => k.graph[id][5] < 0 ? 0 : k.loops[k.graph[id][5]][1];
        let side = 0;
        for (let id = edge.to; id <= edge.from; id++)
          if (depth(id) >= depth(edge.to)) side = Math.max(side, items[id].x + NODE.width);
        side += edge.from === edge.to ? 13 : 16 + 7 * (nested++ % 6);
        width = Math.max(width, side);
        const y1 = y(from) + NODE.height - 9, y2 = y(to) + 9, r = 8, a = from.x + NODE.width, b = to.x + NODE.width;
        d = `M${a} ${y1}H${side - r}Q${side} ${y1} ${side} ${y1 - r}V${y2 + r}Q${side} ${y2} ${side - r} ${y2}H${b + 6}`;
        parts.push(`<path class="edge back" d="${d}"/><path class="tip back" d="M${b + 1} ${y2}l7 -4v8z"/>`);
      } else {
        const path = edge.path, first = path[0], last = path[path.length - 1], end = y(last) - 6;
        d = `M${middle(first)} ${y(first) + NODE.height}`;
        for (let i = 1; i < path.length; i++) {
          const x0 = middle(path[i - 1]), x1 = middle(path[i]), y0 = y(path[i - 1]) + NODE.height, y1 = i + 1 < path.length ? y(path[i]) : end;
          d += `C${x0} ${y0 + 17} ${x1} ${y1 - 17} ${x1} ${y1}`;
          if (i + 1 < path.length) d += `V${y1 + NODE.height}`;
        }
        parts.push(`<path class="edge" d="${d}"/><path class="tip" d="M${middle(last)} ${y(last) - 1}l-4 -7h8z"/>`);
      }
    }
    const headers = new Map(k.loops.map((loop, id) => [loop[0], id]));
    for (const item of items) parts.push(node(k, item, y(item), headers));
    return { svg: parts.join(''), width: width + 24, height: rows.length * (NODE.height + NODE.gapY) + 12 };
  }

  function node(k, item, y, headers) {
    const [first, count, from, to, label, loop] = k.graph[item.id];
    const inside = k.blocks.filter(block => state(block) !== 'off' && count && first >= block.first && first <= block.last);
    const best = inside.length ? state(inside[inside.length - 1]) : '';
    const lines = !count ? 'empty' : from === to ? `line ${from}` : `lines ${from}–${to}`;
    const size = count ? ` · ${plural(count, 'instruction')}` : '';
    const name = label || (item.id ? `block ${item.id}` : 'entry');
    const depth = loop >= 0 ? k.loops[loop][1] : 0;
    const chains = new Set();
    if (count) k.chains.forEach((chain, id) => { if (chain.instructions.some(inst => inst.at[0] >= from && inst.at[0] <= to)) chains.add(id); });
    let dots = '', at = item.x + NODE.width - 14 - (headers.has(item.id) ? 26 : 0);
    for (const id of [...chains].slice(0, 5)) { dots += `<circle class="chain" cx="${at}" cy="${y + 13}" r="4" style="fill:var(--c${id % 6})"><title>chain ${id}</title></circle>`; at -= 11; }
    const stripes = depth ? `<rect class="depth" x="${item.x}" y="${y + 6}" width="${Math.min(2 + 2 * depth, 10)}" height="${NODE.height - 12}" rx="1.5"/>` : '';
    const mark = headers.has(item.id) ? `<text class="loop" x="${item.x + NODE.width - 10}" y="${y + 17}" text-anchor="end">↻ ${k.loops[headers.get(item.id)][1]}</text>` : '';
    const cut = name.length > 19 ? name.slice(0, 18) + '…' : name;
    return `<g class="node ${best}" tabindex="0" role="button" data-goto="${from || ''}" aria-label="${esc(name)}, ${lines}${depth ? ', in ' + plural(depth, 'loop') : ''}">` +
      `<title>${esc(name)}</title><rect class="body" x="${item.x}" y="${y}" width="${NODE.width}" height="${NODE.height}" rx="6"/>${stripes}` +
      `<text x="${item.x + 15}" y="${y + 17}">${esc(cut)}</text><text class="small" x="${item.x + 15}" y="${y + 33}">${lines}${size}</text>${mark}${dots}</g>`;
  }

  function zoom(by) {
    const svg = document.querySelector('.graph svg');
    if (!svg) return;
    const { width, height } = view.k.drawn, box = document.querySelector('.graph');
    view.zoom = by ? Math.max(0.05, Math.min(3, view.zoom * by)) : Math.min(1, (box.clientWidth - 8) / width, innerHeight * 0.7 / height);
    svg.setAttribute('width', width * view.zoom);
    svg.setAttribute('height', height * view.zoom);
  }

  function drawGraph() {
    const { k } = view;
    if (!k.graph.length) {
      $('body').innerHTML = '<p class="empty">The function has no instructions.</p>';
      return;
    }
    if (!k.drawn) k.drawn = graphOf(k);
    view.zoom = 1;
    $('body').innerHTML = `<div class="graph" tabindex="0" role="region" aria-label="Flow graph"><svg viewBox="-8 0 ${k.drawn.width} ${k.drawn.height}" width="${k.drawn.width}" height="${k.drawn.height}" role="group">${k.drawn.svg}</svg></div>`;
    const box = document.querySelector('.graph');
    if (k.drawn.width > box.clientWidth) zoom(Math.max(0.55, (box.clientWidth - 8) / k.drawn.width));
  }

  // The parts of a kernel's page

  function tab(name) {
    view.tab = name;
    for (const button of document.querySelectorAll('.tabs [role=tab]')) {
      button.setAttribute('aria-selected', button.dataset.tab === name);
      button.tabIndex = button.dataset.tab === name ? 0 : -1;
    }
    for (const part of document.querySelectorAll('.tabs [data-for]')) part.hidden = part.dataset.for !== name;
    if (name === 'ptx') drawPtx();
    else drawGraph();
  }

  function facts(kernel) {
    const saves = [];
    if (kernel.flits) saves.push(`<b>${num(kernel.flits)}</b> flits per warp and hop (${brief(kernel.expected)} expected)`);
    if (kernel.words) saves.push(`<b>${brief(kernel.words)}</b> words per warp`);
    return `<ul class="facts">${saves.length ? `<li class="saves">saves ${saves.join(', ')}</li>` : ''}` +
      `<li><b>${kernel.chains}</b> ${kernel.chains === 1 ? 'chain' : 'chains'}, ${kernel.loadsTagged} of ${plural(kernel.loads, 'load')}</li>` +
      `<li><b>${kernel.chosen}</b> of ${plural(kernel.blocks, 'block')} selected for offloading</li>` +
      `<li><b>${kernel.missed}</b> rejected</li><li><b>${kernel.instructions.toLocaleString('en')}</b> instructions</li></ul>`;
  }

  // Reports how many chains cost the simulated machine more traffic than they saved.
  function simulated(kernel) {
    if (!module.outcomes) return '';
    const mine = module.outcomes.offloaded.filter(one => one.kernel === kernel.name && one.kind === 'chain');
    const bad = mine.filter(costs);
    return mine.length ? `<p class="changed">Measured by ${esc(module.outcomes.policy)} on ${esc(module.outcomes.machine || '?')}: ` +
      `${bad.length ? `<b class="costs">${bad.length} of ${plural(mine.length, 'chain')} ${bad.length === 1 ? 'costs' : 'cost'} more traffic than saved</b>`
        : `${mine.length === 1 ? 'the chain saves' : `all ${mine.length} chains save`} traffic`}</p>` : '';
  }

  // Remarks on the kernel as a whole.
  function noQueue(kernel) {
    return view.k.remarks.filter(remark => remark.kind === 'kernel').map(remark => {
      const notes = (remark.notes || []).map(note => line(note.at[0])).join(', ');
      return `<p class="note"><span class="full">no queue</span> ${sentence(remark.text)} <span class="rule">${esc(remark.rule)}</span>` +
        `${notes ? ` · because of ${notes}` : ''}</p>`;
    }).join('');
  }

  // Changes of this kernel by the profile.
  function changed(kernel) {
    if (!module.changes) return '';
    const changes = module.changes.filter(change => change.kernel === kernel.name);
    const where = change => line(change.line) + (change.end_line === change.line ? '' : ` to ${line(change.end_line)}`);
    const rows = changes.map(change => `<tr><td>${esc(change.kind)}</td><td>${where(change)}</td><td data-label="before">${esc(change.before)}</td>` +
      `<td data-label="now">${esc(change.after)}</td><td>${esc(change.reason)}</td></tr>`).join('');
    const head = `${plural(changes.length, 'verdict')} changed by the profile`;
    return changes.length ? `<details class="changed" open><summary>${head}</summary><table><thead><tr><th>What</th><th>Where</th>` +
      `<th>Without the profile</th><th>With it</th><th>Why</th></tr></thead><tbody>${rows}</tbody></table></details>`
      : `<p class="changed">${head}</p>`;
  }

  // Measurements of the kernel's loops and accesses, next to the results of the analyses.
  function measured(kernel) {
    if (!module.measurements) return '';
    const mine = module.measurements.filter(one => one.kernel === kernel.name);
    if (!mine.length) return '<p class="changed">Nothing was measured: no access of it was executed</p>';
    const count = one => {
      const loop = one.kind === 'loop', what = loop ? 'iteration' : 'line';
      const times = `${one.times.toLocaleString('en')} ${loop ? one.times === 1 ? 'entry' : 'entries' : one.times === 1 ? 'access' : 'accesses'}`;
      return `<b>${brief(one.mean)}</b> ${what}${one.mean === 1 ? '' : 's'} ` +
        (one.least === one.most ? `in each of ${times}` : `on average, ${one.least} to ${one.most}, in ${times}`);
    };
    const cache = (one, name, key) => one[key + '_accesses']
      ? `${name} ${brief(100 * one[key + '_served'] / one[key + '_accesses'])} %` : '';
    const cached = mine.some(one => one.l1_accesses || one.llc_accesses), MOST = 12;
    const served = one => cached ? `<td data-label="served">${[cache(one, 'L1', 'l1'), cache(one, 'LLC', 'llc')].filter(Boolean).join(', ') || '–'}</td>` : '';
    const rows = mine.map(one => `<tr><td>${esc(one.kind)}</td><td>${line(one.line)}${one.kind === 'loop' ? ` to ${line(one.end_line)}` : ''}</td>` +
      `<td data-label="measured"${one.decides ? ' class="decides"' : ''}>${count(one)}${one.decides ? ' · decides' : ''}</td><td data-label="analysis">${esc(one.analysis)}</td>${served(one)}</tr>`).join('');
    const loops = mine.filter(one => one.kind === 'loop').length;
    return `<details class="changed measured"${mine.length > MOST ? '' : ' open'}><summary>Measured of ${plural(loops, 'loop')} and ` +
      `${plural(mine.length - loops, 'instruction')} with accesses</summary><table><thead><tr><th>What</th><th>Where</th>` +
      `<th>Measured</th><th>Analysis</th>${cached ? '<th>Served by caches</th>' : ''}</tr></thead><tbody>${rows}</tbody></table></details>`;
  }

  function show(index, number) {
    const before = view;
    current = kernels[index];
    if (!current) return;
    view = { k: load(index), open: new Set(), tab: 'ptx', at: -1, zoom: 1,
      passes: before ? before.passes : true, misses: before ? before.misses : true, cuda: before ? before.cuda : true };
    for (const row of document.querySelectorAll('#kernels tr[aria-current]')) row.removeAttribute('aria-current');
    const row = document.querySelector(`#kernels tr[data-k="${index}"]`);
    if (row) {
      row.setAttribute('aria-current', 'true');
      row.scrollIntoView({ block: 'nearest' });
    }
    $('kernel').innerHTML = `<h1>${esc(current.short)}</h1>${current.short === current.name ? '' : `<p class="mangled">${esc(current.name)}</p>`}${facts(current)}${noQueue(current)}${simulated(current)}${changed(current)}${measured(current)}` +
      '<div class="tabs"><div role="tablist" aria-label="View"><button type="button" role="tab" data-tab="ptx">PTX</button>' +
      '<button type="button" role="tab" data-tab="graph">Flow graph</button></div><span class="space"></span>' +
      `<span data-for="ptx"><label><input type="checkbox" id="passes"${view.passes ? ' checked' : ''}>chains</label></span>` +
      `<span data-for="ptx"><label><input type="checkbox" id="misses"${view.misses ? ' checked' : ''}>what is not offloaded</label></span>` +
      (view.k.cuda.size ? `<span data-for="ptx"><label><input type="checkbox" id="cuda"${view.cuda ? ' checked' : ''}>CUDA source</label></span>` : '') +
      '<button type="button" data-for="ptx" id="all" title="Open or close all (e)">Open all</button>' +
      '<span class="zoom" data-for="graph"><button type="button" data-zoom="0.8" aria-label="Smaller">−</button>' +
      '<button type="button" data-zoom="1.25" aria-label="Larger">+</button><button type="button" data-zoom="0" title="All of it">Fit</button></span></div>' +
      '<div id="body" role="tabpanel"></div>';
    $('kernel').scrollTop = 0;
    tab('ptx');
    if (number) goTo(number);
    const hash = `#k${index}${number ? '-L' + number : ''}`;
    if (location.hash !== hash) history.replaceState(null, '', hash);
  }

  function fromHash() {
    const match = /^#k(\d+)(?:-L(\d+))?$/.exec(location.hash);
    if (match && kernels[+match[1]]) {
      if (!current || current.index !== +match[1]) show(+match[1], +match[2] || 0);
      else if (match[2]) goTo(+match[2]);
      return true;
    }
    return false;
  }

  // Events

  function neighbour(by) {
    const at = current ? shown.findIndex(kernel => kernel.index === current.index) : -1;
    const next = shown[at < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, at + by))];
    if (next && next !== current) show(next.index);
  }

  const keys = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    n: () => neighbour(1), p: () => neighbour(-1), e: () => view && view.tab === 'ptx' && toggleAll(),
    g: () => view && tab(view.tab === 'ptx' ? 'graph' : 'ptx'), t: ptxoffload.switchTheme,
    '/': () => { $('filter').focus(); $('filter').select(); }, '?': () => $('keys').showModal(),
  };

  document.addEventListener('keydown', event => {
    const on = event.target, field = on.matches('input[type=search]');
    if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
    if (field) {
      if (event.key === 'Enter' && shown.length) { show(shown[0].index); $('kernel').focus(); }
      else if (event.key === 'Escape') { on.value = ''; list(); $('kernel').focus(); }
      return;
    }
    if (event.key === 'Escape') { $('kernel').focus(); return; }
    if (event.key.startsWith('Arrow')) {
      if (on.closest('[role=tablist]') && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
        tab(view.tab === 'ptx' ? 'graph' : 'ptx');
        document.querySelector('.tabs [aria-selected=true]').focus();
        return;
      }
      if (on.closest('.side') && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
        const rows = [...document.querySelectorAll('#kernels .name')], at = rows.indexOf(on);
        const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)];
        if (next) { next.focus(); event.preventDefault(); }
        return;
      }
      // Arrows move from one remark to the next; elsewhere they scroll.
      if (!on.dataset.key) return;
    }
    if (on.matches('.node') && (event.key === 'Enter' || event.key === ' ')) { on.dataset.goto && goTo(+on.dataset.goto); event.preventDefault(); return; }
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });

  $('kernels').addEventListener('click', event => {
    const row = event.target.closest('tr');
    if (row) show(+row.dataset.k);
  });

  document.querySelector('.list thead').addEventListener('click', event => {
    const key = event.target.dataset.sort;
    if (!key) return;
    order.down = order.key === key ? !order.down : key !== 'name';
    order.key = key;
    list();
  });

  $('kernel').addEventListener('click', event => {
    const on = event.target.closest('[data-key], [data-line], [data-tab], [data-zoom], [data-goto], #all');
    if (!on) return;
    if (on.dataset.key) toggle(on.dataset.key);
    else if (on.dataset.line) { event.preventDefault(); goTo(+on.dataset.line); history.replaceState(null, '', on.getAttribute('href')); }
    else if (on.dataset.tab) tab(on.dataset.tab);
    else if (on.dataset.zoom) zoom(+on.dataset.zoom);
    else if (on.dataset.goto) goTo(+on.dataset.goto);
    else if (on.id === 'all') toggleAll();
  });

  $('kernel').addEventListener('change', event => {
    if (event.target.id === 'passes') view.passes = event.target.checked;
    else if (event.target.id === 'misses') view.misses = event.target.checked;
    else if (event.target.id === 'cuda') view.cuda = event.target.checked;
    else return;
    view.stops = null;
    sayAll();
    for (const chunk of document.querySelectorAll('.chunk[data-drawn]')) draw(chunk);
  });

  $('filter').addEventListener('input', list);
  $('help').addEventListener('click', () => $('keys').showModal());
  addEventListener('hashchange', fromHash);
  addEventListener('beforeprint', () => { if (view && view.tab === 'ptx') { view.open = new Set(stops()); drawAll(); for (const chunk of document.querySelectorAll('.chunk')) draw(chunk); } });

  document.title = `${module.source} · offload report`;
  $('file').textContent = module.source;
  $('made').textContent = `cost model ${module.cost} · multiply-adds ${module.fma} · order ${module.reorder ? 'changed for chains' : 'kept'} · version ${module.version}` +
    (module.profile ? ` · profile ${module.profile.slice(0, 12)}` : '');
  total();
  list();
  if (!fromHash()) {
    if (shown.length) show(shown[0].index);
    else $('kernel').innerHTML = '<p class="empty">There is no kernel in this module.</p>';
  }
})();
