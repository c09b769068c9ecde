"""A scripted editor: speaks the Language Server Protocol with ptxoffload-lsp."""
import json
import os
import re
import select
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Failure, same

URI = 'file:///x.ptx'
TEXT = '''.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[16];
// { not a brace
.visible .entry scale(
    .param .u64 to,
    .param .u64 from
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<6>;
    .reg .b32 last;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [from];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.u64 %rd4, %rd2, %rd3;
    add.u64 %rd5, %rd1, %rd3;
LOOP:
    ld.global.u32 %r2, [%rd4];
    add.u32 %r3, %r2, 7;
    st.global.u32 [%rd5], %r3;
    setp.lt.u32 %p1, %r1, 0;
    @%p1 bra LOOP;
    ret;
}
'''


class Editor:
    """The editor and its server, the program `server` with options."""

    def __init__(self, server, *options):
        self.process = subprocess.Popen([server, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number, self.version, self.published, self.requested, self.buffer = 0, 0, [], [], b''

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc='2.0')).encode()
        self.process.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (len(body), body))
        self.process.stdin.flush()

    def fill(self, seconds):
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise Failure('no message in %g s' % seconds)
        more = os.read(self.process.stdout.fileno(), 1 << 20)
        if not more:
            raise Failure('the server has ended')
        self.buffer += more

    def receive(self, seconds=60):
        while b'\r\n\r\n' not in self.buffer:
            self.fill(seconds)
        head, rest = self.buffer.split(b'\r\n\r\n', 1)
        length = int(re.fullmatch(rb'Content-Length: (\d+)', head).group(1))
        while len(rest) < length:
            self.buffer = rest
            self.fill(seconds)
            rest = self.buffer
        self.buffer = rest[length:]
        return json.loads(rest[:length])

    def call(self, method, **params):
        """The reply to a request; what is published before it is kept."""
        self.number += 1
        self.send({'id': self.number, 'method': method, 'params': params})
        while True:
            message = self.receive()
            if message.get('id') == self.number:
                return message
            self.keep(message)

    def keep(self, message):
        """What the server sends of its own accord."""
        if 'id' in message:
            self.requested.append(message['method'])
            self.send({'id': message['id'], 'result': None})
        else:
            assert message.get('method') == 'textDocument/publishDiagnostics', message
            self.published.append(message['params'])

    def ask(self, method, **params):
        reply = self.call(method, **params)
        assert 'error' not in reply, reply
        return reply['result']

    def notify(self, method, **params):
        self.send({'method': method, 'params': params})

    def begin(self, text, **options):
        self.ask('initialize', **dict({'capabilities': {}}, **options))
        self.notify('initialized')
        self.open(text)

    def open(self, text):
        self.version += 1
        self.notify('textDocument/didOpen', textDocument={'uri': URI, 'languageId': 'ptx',
                                                          'version': self.version, 'text': text})

    def change(self, *changes):
        self.version += 1
        self.notify('textDocument/didChange', textDocument={'uri': URI, 'version': self.version},
                    contentChanges=list(changes))

    def at(self, method, place):
        return self.ask('textDocument/' + method, textDocument={'uri': URI}, position=place)

    def diagnostics(self, seconds=60):
        """What is published for the present version."""
        while not self.published or self.published[-1]['version'] != self.version:
            self.keep(self.receive(seconds))
        return self.published[-1]['diagnostics']

    def end(self):
        self.ask('shutdown')
        self.notify('exit')
        self.process.stdin.close()
        same(self.process.wait(60), 0)


def place_of(text, word, which=0):
    """The place of an occurrence of a word."""
    at = [one.start() for one in re.finditer(re.escape(word), text)][which]
    before = text[:at]
    line = before.count('\n')
    return {'line': line, 'character': len((before.split('\n')[-1]).encode('utf-16-le')) // 2}


def edit(text, old, new, which=0):
    """A change of one occurrence, and the text after it."""
    at = [one.start() for one in re.finditer(re.escape(old), text)][which]
    begin = place_of(text, old, which)
    lines = old.split('\n')
    finish = {'line': begin['line'] + len(lines) - 1,
              'character': len(lines[-1]) + (begin['character'] if len(lines) == 1 else 0)}
    return {'range': {'start': begin, 'end': finish}, 'text': new}, text[:at] + new + text[at + len(old):]
