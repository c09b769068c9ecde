// Tables of class "sorted" are sorted by a click on a heading: numbers first by size, texts by letter.
for (const table of document.querySelectorAll('table.sorted')) {
  const heads = [...table.rows[0].cells], body = table.tBodies[0], rows = [...body.rows].slice(1).filter(row => row.className !== 'mean');
  const means = body.querySelectorAll('tr.mean'); // they stay last
  const value = (row, at) => {
    const cell = row.cells[at], text = cell.dataset.value ?? cell.textContent, number = parseFloat(text.replace(/,/g, '').replace('−', '-'));
    return Number.isNaN(number) ? text : number;
  };
  const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1;
  heads.forEach((head, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    button.title = 'Sort by this column';
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down < 0 ? 'descending' : 'ascending');
      body.append(...rows.sort((a, b) => down * order(value(a, at), value(b, at))), ...means);
    });
  });
}
