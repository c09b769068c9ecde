"""Programs for the tests of the HTML report, and what a report holds."""
import html.parser
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import ends, run

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / 'samples').glob('*/*.ptx'))

HEAD = b'.version 7.5\n.target sm_75\n.address_size 64\n'
BODY = b'''.visible .entry %s(.param .u64 a, .param .u64 b)
{
    .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .b32 %%r<9>; .reg .pred %%p;
    ld.param.u64 %%rd1, [a];
    ld.param.u64 %%rd2, [b];
    mov.u32 %%r1, %%tid.x;
    mul.wide.u32 %%rd3, %%r1, 4;
    add.s64 %%rd1, %%rd1, %%rd3;
    add.s64 %%rd2, %%rd2, %%rd3;
    mov.u32 %%r2, 0;
$loop_%d:
    ld.global.f32 %%f1, [%%rd1];
    st.global.f32 [%%rd2], %%f1;
    ld.global.f32 %%f2, [%%rd1+4];
    add.f32 %%f3, %%f2, %%f2;
    mul.f32 %%f3, %%f3, %%f2;
    st.global.f32 [%%rd2+4], %%f3;
    add.u32 %%r2, %%r2, 1;
    setp.lt.u32 %%p, %%r2, 10;
    @%%p bra $loop_%d;
    ret;
}
'''

# What would end the element that it stands in, be taken for markup or a script, or be no text.
HOSTILE_NAME = 'a<b>&\'"</script><script>owned=1</script>.ptx'
HOSTILE = HEAD + b'''
.visible .entry $_</KERNEL>(.param .u64 a) // </script><script>owned=1</script>
{
    .reg .b64 %rd<3>; .reg .f32 %f<3>; /* <!-- <script> \xe2\x80\xa8 "quoted" 'too' &lt;&amp; </style>
    \xff\xfe\x80 <img src=x onerror=owned=1> --> ]]> */
    .pragma "nounroll </script><img src=x onerror=owned=1> & 'it'";
    ld.param.u64 %rd1, [a]; // <svg onload=owned=1>
    ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd1+4], %f1; ld.volatile.global.f32 %f2, [%rd1];
    ret;
}
'''.replace(b'$_</KERNEL>', b'$_kernel$')


def module(count, repeat=1):
    """A module of so many kernels; `repeat` makes them longer."""
    texts = [HEAD]
    for number in range(count):
        body = BODY % (b'kernel_%d' % number, number, number)
        lines = body.split(b'\n')
        texts.append(b'\n'.join(lines[:10] + [b'    add.s64 %rd4, %rd4, 1; // padding'] * (repeat - 1) +
                                lines[10:]))
    return b''.join(texts)


def make(folder, text, *options, name='in.ptx', out='out.html'):
    (folder / name).write_bytes(text)
    ends(run([PROGRAM, name, '--report=html:' + out, *options], folder), 0, out='')
    return folder / out


class Reader(html.parser.HTMLParser):
    """Elements with their attributes, texts of scripts by their id, and what is not closed"""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.elements, self.scripts = [], [], [], {}
        self.code = []
        self.ids = set()

    VOID = ('meta', 'input', 'br', 'link', 'img', 'path', 'circle')

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if attributes.get('id') in self.ids:
            self.faults.append('two elements with id %s' % attributes['id'])
        if 'id' in attributes:
            self.ids.add(attributes['id'])
        if tag not in self.VOID:
            self.open.append((tag, attributes))

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if not self.open or self.open[-1][0] != tag:
            self.faults.append('</%s> closes %s' % (tag, self.open[-1:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][0] == 'script':
            name = self.open[-1][1].get('id')
            if name:
                self.scripts[name] = self.scripts.get(name, '') + data
            else:
                self.code.append(data)


class Page:
    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.reader = Reader()
        self.reader.feed(self.bytes.decode('utf-8'))
        self.reader.close()
        self.module = json.loads(self.reader.scripts['module'])

    def kernel(self, number):
        return json.loads(self.reader.scripts['k%d' % number])
