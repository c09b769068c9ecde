"""How notebooks show programs and devices: HTML without scripts."""
import html

_STATISTICS = ('machine.launches', 'machine.cycles', 'machine.warp_instructions', 'machine.ipc', 'machine.l1_hit_rate',
               'memory.weighted_hops')


def flat(record, before=''):
    """A dictionary without dictionaries as values: {'a': {'b': 1}} as {'a.b': 1}."""
    made = {}
    for name, value in record.items():
        made.update(flat(value, before + name + '.') if isinstance(value, dict) else {before + name: value})
    return made


def _number(value):
    if not isinstance(value, float):
        return str(value)
    return '%d' % value if value == int(value) else '%.4g' % value


def table(title, columns, rows):
    """A table with a title. Cells that are numbers are aligned to the right."""
    parts = ['<table><caption>%s</caption><tr>' % html.escape(title)]
    parts += ['<th>%s</th>' % html.escape(column) for column in columns]
    for row in rows:
        parts.append('</tr><tr>')
        for value in row:
            side = ' style="text-align:right"' if isinstance(value, (int, float)) else ' style="text-align:left"'
            parts.append('<td%s>%s</td>' % (side, html.escape(_number(value))))
    return ''.join(parts) + '</tr></table>'


def _sizes(program):
    return [(kernel['name'], len(kernel['chains']), len(kernel['blocks']), len(kernel['rejected']))
            for kernel in program.kernels]


def program(of):
    """Decisions by kernel, and the reasons of rejections."""
    parts = [table('Offload candidates', ('kernel', 'chains', 'blocks', 'rejected'), _sizes(of))]
    for kernel in of.kernels:
        chains = [(one['id'], one['pattern'], ', '.join(str(part['line']) for part in one['instructions']), one['saving'])
                  for one in kernel['chains']]
        if chains:
            parts.append(table('Chains of ' + kernel['name'], ('chain', 'pattern', 'lines', 'saving'), chains))
        blocks = [(one['id'], one['kind'], '%d-%d' % (one['begin_line'], one['end_line']), one['bw_tx'], one['bw_rx'])
                  for one in kernel['blocks'] if one['candidate']]
        if blocks:
            parts.append(table('Blocks of ' + kernel['name'], ('block', 'kind', 'lines', 'sent', 'received'), blocks))
        rejected = [(one['line'], one['kind'], one['rule'], one['text']) for one in kernel['rejected']]
        if rejected:
            parts.append(table('Rejected in ' + kernel['name'], ('line', 'what', 'rule', 'reason'), rejected))
    return '\n'.join(parts)


def device(of):
    """Statistics of the kernels that have run."""
    rows = of.records() if of.statistic_names() else []
    columns = [name for name in _STATISTICS if rows and name in rows[0]]
    if not rows:
        return '<p>Device, %s: no timed launch</p>' % of.state
    return table('Device, ' + of.state, ('kernel', *columns), [[row['kernel'], *(row[name] for name in columns)] for row in rows])
