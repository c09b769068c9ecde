"""ptxoffload from Python: tags PTX, and runs its kernels on the simulated GPU.

    import numpy, ptxoffload

    program = ptxoffload.tag('vecadd.ptx')
    device = ptxoffload.Device(program, config='isca19', policy='omni')
    a, b = device.array(numpy.ones(4096, 'f4')), device.array(numpy.ones(4096, 'f4'))
    c = device.zeros(4096, 'f4')
    device.run('vecadd', 16, 256, a, b, c, 4096)
    print(c.get(), device.statistics()['machine.cycles'])

It calls libptxoffload; PTXOFFLOAD_LIBRARY names another file of it. docs/guide/api.md is the guide.
"""
import collections
import json
import os
import pathlib
import re
import threading
import weakref

import cffi
import numpy

from . import show
from .values import Parameter, convert_array, native_dtype, to_array

__all__ = ['Buffer', 'Device', 'Diagnostic', 'Error', 'Parameter', 'Program', 'Progress', 'check', 'strip', 'tag',
           'version']


# The declarations of the headers, without what only a C compiler reads.
def _declarations(header):
    text = re.sub(r'#ifdef __cplusplus.*?#endif', '', header, flags=re.S)
    text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'^#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.M)
    return text.replace('PTXOFFLOAD_API', '')


def _read_headers():
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here, here.parents[1] / 'include/ptxoffload'):
        paths = [folder / name for name in ('ptxoffload.h', 'models.h')]
        if all(path.exists() for path in paths):
            return ''.join(path.read_text() for path in paths)
    raise ImportError('ptxoffload.h and models.h are missing beside the module')


_HEADER = _read_headers()
_VERSION = re.findall(r'#define PTXOFFLOAD_VERSION_[A-Z]+ (\d+)', _HEADER)
__version__ = '.'.join(_VERSION)
_INTERFACE = '.'.join(_VERSION[:2] if _VERSION[0] == '0' else _VERSION[:1])
LIBRARY = 'libptxoffload.so.' + _INTERFACE


def _load(name):
    """The library, whose interface must be that of the header."""
    try:
        library = _ffi.dlopen(name)
        found = _ffi.string(library.ptxoffload_version()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(
            'ptxoffload %s needs the library %s: %s. Install the package libptxoffload%s (Debian), or the programs from the '
            'source (meson install), or set PTXOFFLOAD_LIBRARY to the file of the library'
            % (__version__, LIBRARY, error, _INTERFACE)) from None
    if not (found + '.').startswith(_INTERFACE + '.'):
        raise ImportError('ptxoffload %s needs a library of version %s, and %s has version %s. Install the same version '
                          'of both' % (__version__, _INTERFACE, name, found))
    return library


_ffi = cffi.FFI()
_ffi.cdef(_declarations(_HEADER))
_lib = _load(os.environ.get('PTXOFFLOAD_LIBRARY', LIBRARY))
_NAMES = ('bad input', 'bad argument', '', 'no progress', 'memory fault', 'no memory', 'limit', 'cancelled')
_STATES = ('idle', 'running', 'faulted', 'lost')

Diagnostic = collections.namedtuple('Diagnostic',
                                    'severity rule message file line column end_line end_column')
Progress = collections.namedtuple('Progress', 'kernel ctas ended_ctas cycles instructions')


class Error(Exception):
    """A call that failed: `status` is its number, `diagnostics` has the reasons."""

    def __init__(self, status, diagnostics):
        self.status, self.diagnostics = status, diagnostics
        errors = [one for one in diagnostics if one.severity == 'error']
        super().__init__('\n'.join(map(_line, errors)) or _NAMES[status - 1])


def _line(one):
    place = [str(part) for part in (one.file, one.line, one.column) if part]
    return ': '.join([':'.join(place)] * bool(place) + ['%s [%s]' % (one.message, one.rule)])


def version():
    """The version of the library."""
    return _ffi.string(_lib.ptxoffload_version()).decode()


def _text(chars):
    return None if chars == _ffi.NULL else _ffi.string(chars).decode(errors='replace')


class _Context:
    """A context, and the diagnostics since the last call began."""

    def __init__(self):
        self.diagnostics = []
        self.pointer = _ffi.gc(_lib.ptxoffload_context_new(), _lib.ptxoffload_context_free)

        @_ffi.callback('ptxoffload_diagnose')
        def diagnose(_, one):
            self.diagnostics.append(Diagnostic(
                ('note', 'warning', 'error')[one.severity], _text(one.rule), _text(one.message),
                _text(one.file), one.line, one.column, one.end_line, one.end_column))

        self.diagnose = diagnose  # lives as long as the context
        _lib.ptxoffload_set_diagnose(self.pointer, diagnose, _ffi.NULL)

    def begin(self):
        self.diagnostics = []

    def require(self, status):
        if status:
            raise Error(status, list(self.diagnostics))

    def make(self, kind, function, free, *arguments):
        """An object that a function of the library returns by its last argument."""
        to = _ffi.new('struct ptxoffload_%s **' % kind)
        self.require(function(*arguments, to))
        return _ffi.gc(to[0], free)


class _Input:
    """The bytes of `source`: a path, or PTX as a text or bytes."""

    def __init__(self, source, name=None):
        self.context = _Context()
        if isinstance(source, str) and '\n' in source:
            data, name = source.encode(), name or 'input.ptx'
        elif isinstance(source, (bytes, bytearray, memoryview)):
            data, name = bytes(source), name or 'input.ptx'
        else:
            data, name = pathlib.Path(source).read_bytes(), name or os.fspath(source)
        self.bytes = _ffi.from_buffer(data)  # not copied: lives as long as the input
        self.pointer = self.context.make('input', _lib.ptxoffload_open, _lib.ptxoffload_input_free,
                                         self.context.pointer, name.encode(), self.bytes, len(data))

    def module(self, number):
        """The number of a module; without one, the only one."""
        count = _lib.ptxoffload_module_count(self.pointer)
        if number is None and count != 1:
            raise ValueError('the input has %d modules: choose one with module=' % count)
        return number or 0


def check(source, module=None, name=None):
    """Parses and checks. Returns the diagnostics; raises Error if one of them is an error."""
    given = _Input(source, name)
    number = given.module(module)
    given.context.begin()
    given.context.require(_lib.ptxoffload_check(given.pointer, number))
    return given.context.diagnostics


def strip(source, module=None, name=None):
    """The text without tags of ptxoffload."""
    given = _Input(source, name)
    text, length = _ffi.new('const char **'), _ffi.new('size_t *')
    given.context.require(
        _lib.ptxoffload_strip(given.pointer, given.module(module), text, length))
    return _ffi.buffer(text[0], length[0])[:].decode(errors='surrogateescape')


_COSTS = ('tom', 'refined')
_TAGS = ('pragma', 'comment', 'paper', 'none', 'full', 'full-comment')


_SPLITS = {False: 0, True: 1, 'fused': 0, 'split': 1, 'saving': 2}
_CANDIDATES = {'loops': 1, 'blocks': 2, 'regions': 4}


def _options(keep, cost, tags, reorder, split_fma, restrict, block, min_saving, output, capability,
             maps, candidates, profile):
    options = _ffi.new('struct ptxoffload_options *')
    _lib.ptxoffload_options_init(options, _ffi.sizeof('struct ptxoffload_options'))
    options.cost, options.tags = _COSTS.index(cost), _TAGS.index(tags)
    options.keep_order, options.split_fma = not reorder, _SPLITS[split_fma]
    options.restrict_, options.maps = restrict, maps
    options.candidates = sum(_CANDIDATES[kind] for kind in set(candidates))
    options.block = (tuple(block) + (0, 0))[:3]
    if min_saving is not None:
        options.min_saving = min_saving
    for member, value in (('output', output), ('capability', capability), ('profile', profile)):
        if value is not None:
            keep.append(_ffi.new('char[]', value.encode()))
            setattr(options, member, keep[-1])
    return options


class Program:
    """A program with decisions. `diagnostics` has the warnings; `kernels` and `metadata` are those
    of the metadata document (docs/reference/metadata.md)."""

    def __init__(self, source, module=None, name=None, cost='refined', tags='pragma', reorder=True,
                 split_fma=False, restrict=False, block=(), min_saving=None, output=None,
                 capability=None, maps=False, candidates=(), profile=None):
        given, keep = _Input(source, name), []
        self._context = given.context
        options = _options(keep, cost, tags, reorder, split_fma, restrict, block, min_saving, output,
                           capability, maps, candidates, profile)
        self._pointer = self._context.make('program', _lib.ptxoffload_analyse,
                                           _lib.ptxoffload_program_free, given.pointer,
                                           given.module(module), options)
        self.diagnostics = self._context.diagnostics
        self._metadata = None

    def product(self, kind):
        """Bytes of 'ptx', 'metadata_json', 'metadata_elf', 'report_text', 'report_json' or 'maps'."""
        to, size = _ffi.new('const void **'), _ffi.new('size_t *')
        number = getattr(_lib, 'PTXOFFLOAD_' + kind.upper())
        self._context.begin()
        self._context.require(_lib.ptxoffload_product(self._pointer, number, to, size))
        return _ffi.buffer(to[0], size[0])[:]

    @property
    def ptx(self):
        """The tagged text."""
        return self.product('ptx').decode(errors='surrogateescape')

    @property
    def metadata(self):
        """The metadata document as a dictionary."""
        if self._metadata is None:
            self._metadata = json.loads(self.product('metadata_json'))
        return self._metadata

    @property
    def kernels(self):
        """The kernels of the metadata: chains, blocks, and what is rejected and why."""
        return self.metadata['kernels']

    def report(self, form='text'):
        """The report as 'text' or 'json'."""
        return self.product('report_' + form).decode()

    def records(self, kind='chains'):
        """The 'chains', 'blocks' or 'rejected' candidates of all kernels as a list of flat dictionaries, such as
        pandas.DataFrame takes."""
        if kind not in ('chains', 'blocks', 'rejected'):
            raise ValueError('%r is none of chains, blocks, rejected' % (kind,))
        return [dict(kernel=kernel['name'], **show.flat(one)) for kernel in self.kernels for one in kernel[kind]]

    def _repr_html_(self):
        return show.program(self)


def tag(source, **options):
    """Reads PTX (a path, or the text), decides and tags. Options: as Program has them."""
    return Program(source, **options)


class Buffer:
    """An array in the memory of a device."""

    def __init__(self, device, shape, dtype):
        self.device = device
        self.dtype = native_dtype(dtype)
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.bytes = self.dtype.itemsize * int(numpy.prod(self.shape, dtype=object))
        to = _ffi.new('uint64_t *')
        device._call(_lib.ptxoffload_allocate, self.bytes, to)
        self.address = to[0]
        device._buffers.add(self)

    def set(self, values):
        """Copies values into the device."""
        data = convert_array(values, self.dtype, self.shape)
        self.device._call(_lib.ptxoffload_write, self._address(), _bytes(data), self.bytes)

    def get(self):
        """A copy of the values."""
        data = numpy.empty(self.shape, self.dtype)
        self.device._call(_lib.ptxoffload_read, _bytes(data), self._address(), self.bytes)
        return data

    def __array__(self, dtype=None, copy=None):
        """A copy of the values, for numpy functions."""
        if copy is False:
            raise ValueError('values of a device are copied')
        data = self.get()
        return data if dtype is None else data.astype(dtype, copy=False)

    def __len__(self):
        if not self.shape:
            raise TypeError('the buffer has no dimension')
        return self.shape[0]

    def __repr__(self):
        return '<Buffer %s %s%s>' % ('x'.join(map(str, self.shape)) or 'scalar', self.dtype,
                                     ', freed' if self.address is None else '')

    def free(self):
        """Frees the memory in the device."""
        self.device._call(_lib.ptxoffload_release, self._address())
        self.address = None

    def _address(self):
        if self.address is None:
            raise ValueError('the buffer was freed')
        return self.address


def _bytes(data):
    """The memory of a contiguous array, of any shape."""
    return _ffi.from_buffer(data.reshape(-1)) if data.size else _ffi.new('char[1]')


def _shape(of):
    return (of,) if isinstance(of, int) else tuple(of)


class Device:
    """A device with one module: a Program, or PTX as for tag(). `policy` as --policy; `settings`:
    {'memory.cores': 8}. `print` receives what kernels print. `progress` is called several times a second while
    a kernel runs, with a Progress; if it returns a true value, or raises an exception, the launch ends."""

    INTERVAL = 50  # milliseconds between calls of `progress`, and between looks for signals

    def __init__(self, program, module=None, functional=False, config=None, policy=None,
                 settings=None, threads=0, max_instructions=0, max_cycles=0, print=None, progress=None):
        keep = []
        options = _ffi.new('struct ptxoffload_device_options *')
        _lib.ptxoffload_device_options_init(options,
                                            _ffi.sizeof('struct ptxoffload_device_options'))
        options.functional, options.threads = functional, threads
        options.max_instructions, options.max_cycles = max_instructions, max_cycles
        for member, value in (('config', config), ('policy', policy)):
            if value is not None:
                keep.append(_ffi.new('char[]', os.fspath(value).encode()))
                setattr(options, member, keep[-1])
        texts = [_ffi.new('char[]', ('%s=%s' % item).encode()) for item in (settings or {}).items()]
        listed = _ffi.new('const char *[]', texts + [_ffi.NULL])
        options.settings = listed
        if print:
            self._print = _ffi.callback(
                'void(void *, const char *, size_t)',
                lambda _, text, size: print(_ffi.buffer(text, size)[:].decode(errors='replace')))
            options.print = self._print
        if isinstance(program, Program):
            self._context, make = program._context, _lib.ptxoffload_device_of
            self._program, arguments = program, (program._pointer, options)
        else:
            given = _Input(program)
            self._context, make = given.context, _lib.ptxoffload_device_new
            arguments = (given.pointer, given.module(module), options)
        self._context.begin()
        self._pointer = self._context.make('device', make, _lib.ptxoffload_device_free, *arguments)
        self._names, self._parameters, self._launched = None, {}, {}
        self._buffers = weakref.WeakSet()
        self.progress, self._raised = progress, None
        self._observe = _ffi.callback('ptxoffload_progress', self._report_progress, error=1, onerror=self._keep_error)

    def _report_progress(self, _, info):
        """Called in the thread of run(), where handlers of signals may raise KeyboardInterrupt."""
        if not self.progress:
            return 0
        return bool(self.progress(Progress(_text(info.kernel), info.ctas, info.ended_ctas, info.cycles, info.instructions)))

    def _keep_error(self, _, error, __):
        self._raised = error

    @property
    def state(self):
        """'idle', 'running', 'faulted' (the last launch has ended early) or 'lost' (memory was exhausted)."""
        return _STATES[_lib.ptxoffload_device_state(self._pointer)]

    def reset(self):
        """Frees all buffers, gives variables of the module their initial values, and empties caches."""
        self._call(_lib.ptxoffload_device_reset)
        for buffer in self._buffers:
            buffer.address = None
        self._buffers.clear()

    def cancel(self):
        """Ends the launch that is running, or the next one; for other threads. run() raises Error."""
        _lib.ptxoffload_cancel(self._pointer)

    def _call(self, function, *arguments):
        self._context.begin()
        self._context.require(function(self._pointer, *arguments))

    def array(self, values):
        """A buffer with these values."""
        data = to_array(values)
        buffer = Buffer(self, data.shape, data.dtype)
        buffer.set(data)
        return buffer

    def zeros(self, shape, dtype='f4'):
        """A buffer of zeros."""
        return Buffer(self, shape, dtype)

    def parameters(self, kernel):
        """The parameters of a kernel: a list with name, type, bytes, alignment and elements of each."""
        if kernel not in self._parameters:
            count = _ffi.new('uint32_t *')
            self._call(_lib.ptxoffload_parameters, kernel.encode(), _ffi.NULL, 0, count)
            self._parameters[kernel] = [self._parameter(kernel, number) for number in range(count[0])]
        return list(self._parameters[kernel])

    def _parameter(self, kernel, number):
        info = _ffi.new('struct ptxoffload_parameter_info *')
        info.size = _ffi.sizeof('struct ptxoffload_parameter_info')
        self._call(_lib.ptxoffload_parameter_at, kernel.encode(), number, info)
        return Parameter(number, _text(info.name), _text(info.type).lstrip('.'), info.bytes, info.alignment,
                         info.elements)

    def _pack(self, parameter, value):
        if not isinstance(value, Buffer):
            return parameter.pack(value)
        if value.device is not self or value.address is None:
            raise ValueError("argument %d, for '%s': the buffer %s" % (
                parameter.number + 1, parameter.name,
                'was freed' if value.address is None else 'is in another device'))
        return parameter.pack_address(value.address)

    def run(self, kernel, grid, block, *arguments, shared=0, cooperative=False):
        """Runs a kernel to its end. Arguments: buffers, numbers, and bytes as they are. A number is converted to
        the type of its parameter, or refused: integers exactly, floating-point numbers rounded to nearest."""
        parameters = self.parameters(kernel)
        if len(parameters) != len(arguments):
            raise ValueError('%s has %d parameters, and %d arguments are given' %
                             (kernel, len(parameters), len(arguments)))
        values = [_ffi.from_buffer(self._pack(parameter, value))
                  for parameter, value in zip(parameters, arguments)]
        listed = _ffi.new('const void *[]', values or [_ffi.NULL])
        name = _ffi.new('char[]', kernel.encode())
        launch = _ffi.new('struct ptxoffload_launch *')
        launch.size = _ffi.sizeof('struct ptxoffload_launch')
        launch.kernel = name
        launch.grid = (_shape(grid) + (1, 1))[:3]
        launch.block = (_shape(block) + (1, 1))[:3]
        launch.shared, launch.cooperative = shared, cooperative
        launch.arguments, launch.argument_count = listed, len(values)
        # Signals are handled in Python's main thread, between its instructions.
        observed = self.progress or threading.current_thread() is threading.main_thread()
        self._call(_lib.ptxoffload_set_progress, self._observe if observed else _ffi.NULL, _ffi.NULL, self.INTERVAL)
        self._launched[kernel] = self._launched.get(kernel, 0) + 1
        try:
            self._call(_lib.ptxoffload_run, launch)
        finally:
            raised, self._raised = self._raised, None
            if raised:
                raise raised from None

    def statistic_names(self):
        """The names of all statistics, in the order of statistic_values."""
        if self._names is None:
            to = _ffi.new('const char **')
            self._names = []
            for number in range(_lib.ptxoffload_statistic_count(self._pointer)):
                self._call(_lib.ptxoffload_statistic_at, number, to, _ffi.NULL, _ffi.NULL)
                self._names.append(_text(to[0]))
        return self._names

    def statistic_values(self, kernel=None):
        """The values of all statistics of a kernel (None: of all) as an array."""
        values = numpy.empty(_lib.ptxoffload_statistic_count(self._pointer), 'f8')
        name = kernel.encode() if kernel else _ffi.NULL
        self._call(_lib.ptxoffload_statistics, name,
                   _ffi.from_buffer('double[]', values, require_writable=True))
        return values

    def statistics(self, kernel=None):
        """The same as a dictionary."""
        return dict(zip(self.statistic_names(), self.statistic_values(kernel).tolist()))

    def records(self):
        """The statistics of each kernel that has run as a list of dictionaries, such as pandas.DataFrame takes."""
        return [dict(kernel=kernel, **self.statistics(kernel)) for kernel in self._launched]

    def _repr_html_(self):
        return show.device(self)
