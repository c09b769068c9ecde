// Timelines: the counts at the pointer, and a part of the run at a larger scale.
for (const box of document.querySelectorAll('.timeline')) {
  const svg = box.querySelector('svg'), data = JSON.parse(box.querySelector('script').textContent);
  const { left, right, from, until } = data, NS = 'http://www.w3.org/2000/svg';
  const height = svg.viewBox.baseVal.height, clip = `clip-${Math.random().toString(36).slice(2)}`;
  let shown = { from, until }, pressed = null;

  const make = (name, attributes, parent) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  make('rect', { x: left, y: 0, width: right - left, height }, make('clipPath', { id: clip }, svg));
  for (const group of svg.querySelectorAll('g.data')) {
    const outer = document.createElementNS(NS, 'g');
    outer.setAttribute('clip-path', `url(#${clip})`);
    group.replaceWith(outer);
    outer.append(group);
  }
  const band = make('rect', { y: 0, height, width: 0, fill: 'currentColor', opacity: 0.12 }, svg);
  const rule = make('line', { y1: 0, y2: height, stroke: 'currentColor', opacity: 0 }, svg);

  const said = document.createElement('p'), bar = document.createElement('div');
  said.className = 'said quiet';
  bar.className = 'scale';
  const hint = 'Point at the chart to read its counts; drag to enlarge a part of it.';
  said.textContent = hint;
  box.before(bar);
  bar.append(said);

  const cycleAt = x => shown.from + (x - left) / (right - left) * (shown.until - shown.from);
  const xAt = event => {
    const frame = svg.getBoundingClientRect();
    return Math.min(right, Math.max(left, (event.clientX - frame.left) / frame.width * svg.viewBox.baseVal.width));
  };
  const number = value => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });

  function ticks() {
    const span = shown.until - shown.from, raw = span / 8, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 2.5, 5, 10].map(one => one * power).find(one => one >= raw);
    for (const group of svg.querySelectorAll('g.ticks')) {
      const y = +group.dataset.y;
      group.replaceChildren();
      for (let at = Math.ceil(shown.from / step) * step; at <= shown.until; at += step) {
        const x = left + (at - shown.from) / span * (right - left);
        make('line', { x1: x, x2: x, y1: y, y2: y + 5, class: 'axis' }, group);
        make('text', { x, y: y + 18, 'text-anchor': 'middle', 'font-size': 11, class: 'text' }, group).textContent = number(at);
      }
    }
  }

  // Shows the cycles from `begin` to `end`, at least one of them, within the run.
  function show(begin, end) {
    const span = Math.max(1, Math.min(until - from, end - begin)), start = Math.max(from, Math.min(until - span, begin));
    shown = { from: start, until: start + span };
    const scale = (until - from) / span;
    const shift = left - scale * (left + (start - from) / (until - from) * (right - left));
    for (const group of svg.querySelectorAll('g.data')) group.setAttribute('transform', `matrix(${scale} 0 0 1 ${shift} 0)`);
    ticks();
  }

  const middle = () => (shown.from + shown.until) / 2, span = () => shown.until - shown.from;
  const zoom = by => show(middle() - span() * by / 2, middle() + span() * by / 2);
  const pan = by => show(shown.from + by * span(), shown.until + by * span());
  const buttons = [['◀', 'Earlier', () => pan(-0.5)], ['▶', 'Later', () => pan(0.5)], ['+', 'Larger', () => zoom(0.5)],
    ['−', 'Smaller', () => zoom(2)], ['All', 'The whole run', () => show(from, until)]];
  for (const [text, title, action] of buttons) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', textContent: text, title });
    button.setAttribute('aria-label', title);
    button.addEventListener('click', action);
    bar.append(button);
  }

  svg.addEventListener('pointermove', event => {
    const x = xAt(event), cycle = cycleAt(x);
    const sample = data.samples.find(one => one[0] <= cycle && cycle < one[1]);
    rule.setAttribute('x1', x);
    rule.setAttribute('x2', x);
    rule.setAttribute('opacity', 0.6);
    said.textContent = `cycle ${number(cycle)}` +
      (sample ? data.names.map((name, at) => ` · ${name} ${number(sample[at + 2])}`).join('') : '');
    if (pressed === null) return;
    band.setAttribute('x', Math.min(pressed, x));
    band.setAttribute('width', Math.abs(x - pressed));
  });
  svg.addEventListener('pointerleave', () => { rule.setAttribute('opacity', 0); said.textContent = hint; });
  svg.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse') { pressed = xAt(event); event.preventDefault(); } });
  addEventListener('pointerup', event => {
    if (pressed === null) return;
    const x = xAt(event);
    if (Math.abs(x - pressed) > 4) show(cycleAt(Math.min(pressed, x)), cycleAt(Math.max(pressed, x)));
    pressed = null;
    band.setAttribute('width', 0);
  });
}
