"""How programs of known suites are built and run: for eval/programs.py.

A program is a dict: folder (in the suite), sources (patterns), options of nvcc, arguments, and
  made    names of input files and the functions that make them, as (name, function, arguments)
  passed  texts, one of which its own check prints if the results are right; absent: it has no check
  failed  a text that its check prints if not
  note    what is known of it
  run     options of ptxoffload-run
  edits   (file, from, to): changes of the copy that is built, for what newer toolkits do not have
  header  pattern of files with the sizes, and sizes: the most of each, in the copy that is built
  needs   why it cannot be built or run, if that is known
  makefile  built by its Makefile, whose rule `run` has the arguments
  guess   its check is judged by the usual words, and it is tried with smaller arguments if it is too large
  alone   it needs only its own folder, and those in `shared`
The inputs are random numbers, so that nothing of a suite's data is needed.
"""
import array
import random
import re


def numbers(path, count, low, high, seed=1):
    draw = random.Random(seed)
    path.write_text(''.join('%f\n' % draw.uniform(low, high) for _ in range(count)))


def graph(path, nodes, seed=1):
    """Rodinia's bfs: nodes with the first and the number of their edges, the source, the edges."""
    draw = random.Random(seed)
    degrees = [draw.randint(2, 8) for _ in range(nodes)]
    lines, first = [str(nodes)], 0
    for degree in degrees:
        lines.append('%d %d' % (first, degree))
        first += degree
    lines += ['', '0', '', str(first)]
    lines += ['%d 1' % draw.randrange(nodes) for _ in range(first)]
    path.write_text('\n'.join(lines) + '\n')


def points(path, count, features, seed=1):
    """Rodinia's kmeans: a line for each point, which begins with its number."""
    draw = random.Random(seed)
    path.write_text(''.join('%d %s\n' % (i, ' '.join('%.4f' % draw.random() for _ in range(features)))
                            for i in range(count)))


def hurricanes(path, records, seed=1):
    """Rodinia's nn: a list of files of records of 49 characters."""
    draw = random.Random(seed)
    data = path.parent / 'hurricanes.db'
    data.write_text(''.join(
        '%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n' % (
            draw.randint(1950, 2004), draw.randint(1, 12), draw.randint(1, 28), draw.choice((0, 6, 12, 18)),
            draw.randint(1, 28), draw.choice(('ALBERTO', 'BERYL', 'CHRIS', 'DEBBY')),
            draw.uniform(7, 70), draw.uniform(0, 358), draw.randint(10, 160), draw.randint(0, 400))
        for _ in range(records)))
    path.write_text('%s\n' % data)


def keys(path, count, seed=1):
    """Rodinia's b+tree: the number of keys, and the keys."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    path.write_text('%d\n%s\n' % (count, '\n'.join(map(str, order))))


def queries(path):
    path.write_text('j 200 50\nk 200\n')


def mesh(path, cells, seed=1):
    """Rodinia's cfd: for each cell its area, and four neighbours with the normals of the faces."""
    draw = random.Random(seed)
    lines = [str(cells)]
    for i in range(cells):
        text = '%f' % draw.uniform(0.5, 1.5)
        for step in (1, -1, 32, -32):
            other = i + step
            other = other + 1 if 0 <= other < cells else -1
            text += ' %d %f %f %f' % (other, *(draw.uniform(-0.1, 0.1) for _ in range(3)))
        lines.append(text)
    path.write_text('\n'.join(lines) + '\n')


def picture(path, width, height, seed=1):
    """A bitmap of 24 bits, upside down as these are."""
    draw = random.Random(seed)
    row = (3 * width + 3) // 4 * 4
    size = 54 + row * height
    head = b'BM' + size.to_bytes(4, 'little') + bytes(4) + (54).to_bytes(4, 'little')
    head += (40).to_bytes(4, 'little') + width.to_bytes(4, 'little') + height.to_bytes(4, 'little')
    head += (1).to_bytes(2, 'little') + (24).to_bytes(2, 'little') + bytes(24)
    path.write_bytes(head + bytes(draw.randrange(256) for _ in range(row * height)))


def pgm(path, width, height, seed=1):
    draw = random.Random(seed)
    path.write_bytes(b'P2\n# random\n%d %d\n255\n' % (width, height) +
                     b'\n'.join(b'%d' % draw.randrange(1, 256) for _ in range(width * height)) + b'\n')


def film(path, width, height, frames, seed=1):
    """An AVI of 8-bit frames without compression, with an index, as Rodinia's heartwall reads it"""
    def chunk(name, data):
        return name + len(data).to_bytes(4, 'little') + data + bytes(len(data) % 2)

    def words(*values):
        return b''.join(value.to_bytes(4, 'little') for value in values)
    draw = random.Random(seed)
    size = width * height
    main = words(40000, size, 0, 16, frames, 0, 1, size, width, height, 0, 0, 0, 0)
    stream = b'vidsDIB ' + words(0, 0, 0, 1, 25, 0, frames, size, 0, size, 0, 0)
    picture_head = words(40, width, height) + (1).to_bytes(2, 'little') + (8).to_bytes(2, 'little') + words(0, size, 0, 0, 0, 0)
    header = chunk(b'avih', main) + chunk(b'LIST', b'strl' + chunk(b'strh', stream) + chunk(b'strf', picture_head))
    movie = b''.join(chunk(b'00db', draw.randbytes(size)) for _ in range(frames))
    index = b''.join(b'00db' + words(16, 4 + i * (size + 8), size) for i in range(frames))
    path.write_bytes(chunk(b'RIFF', b'AVI ' + chunk(b'LIST', b'hdrl' + header) + chunk(b'LIST', b'movi' + movie) +
                           chunk(b'idx1', index)))


def images(path, count, seed=1):
    """The file of handwritten digits that the NN of ISPASS 2009 reads, with random pixels"""
    head = b''.join(value.to_bytes(4, 'big') for value in (2051, count, 28, 28))
    path.write_bytes(head + random.Random(seed).randbytes(28 * 28 * count))


def floats(path, count, seed=1):
    draw = random.Random(seed)
    path.write_bytes(array.array('f', [draw.random() for _ in range(count)]).tobytes())


def samples_of_k_space(path, numbers_k, numbers_x):
    """Parboil's mri-q: the counts, then coordinates and values."""
    draw = random.Random(1)
    values = array.array('f', [draw.random() for _ in range(5 * numbers_k + 3 * numbers_x)])
    path.write_bytes(array.array('i', [numbers_k, numbers_x]).tobytes() + values.tobytes())


def bytes_of_text(path, count, seed=1):
    draw = random.Random(seed)
    path.write_bytes(bytes(draw.choice(b'etaoin shrdlu') for _ in range(count)))


def polybench(folder, **sizes):
    """The sizes in its header are replaced: at most these, or 256."""
    return {'name': folder, 'folder': 'CUDA/' + folder, 'sources': ['*.cu'], 'options': ['-DRUN_ON_CPU'],
            'header': '*.cuh', 'sizes': sizes, 'passed': ('Percent: 0', 'misses: 0')}


POLYBENCH = [
    polybench('2DCONV', NI=1024, NJ=1024), polybench('2MM'), polybench('3DCONV', NI=64, NJ=64, NK=64),
    polybench('3MM'), polybench('ADI'), polybench('ATAX', NX=1024, NY=1024),
    polybench('BICG', NX=1024, NY=1024), polybench('CORR'), polybench('COVAR'),
    dict(polybench('DOITGEN', NR=32, NQ=32, NP=32),
         edits=[('doitgen.cu', '#include <cuda.h>', '#include <cuda.h>\nstatic double rtclock() { return 0; }')]), polybench('FDTD-2D', TMAX=10), polybench('GEMM'),
    polybench('GEMVER', N=1024), polybench('GESUMMV', N=1024), polybench('GRAMSCHM', NI=128, NJ=128),
    polybench('JACOBI1D', N=4096, TSTEPS=100), polybench('JACOBI2D', TSTEPS=10), polybench('LU', N=128),
    dict(polybench('MVT'), note='eight threads add to each element without order'),
    polybench('SYR2K'), polybench('SYRK')]

TEXTURES = 'texture references, which nvcc 12 and later do not compile'
RODINIA = [
    {'name': 'b+tree', 'folder': 'cuda/b+tree',
     'sources': ['main.c', 'kernel/*wrapper*.cu', 'util/*/*.c', 'util/*/*.cu'], 'options': ['-I.', '-I./util'],
     'made': [('keys.txt', keys, 2000), ('commands.txt', queries)],
     'arguments': ['file', 'keys.txt', 'command', 'commands.txt']},
    {'name': 'backprop', 'folder': 'cuda/backprop', 'sources': ['backprop_cuda.cu', 'backprop.c', 'facetrain.c', 'imagenet.c'],
     'arguments': ['4096']},
    {'name': 'bfs', 'folder': 'cuda/bfs', 'sources': ['bfs.cu'], 'made': [('graph.txt', graph, 16384)],
     'arguments': ['graph.txt']},
    {'name': 'cfd/euler3d', 'folder': 'cuda/cfd', 'sources': ['euler3d.cu'],
     'made': [('mesh.txt', mesh, 1024)], 'arguments': ['mesh.txt']},
    {'name': 'cfd/euler3d_double', 'folder': 'cuda/cfd', 'sources': ['euler3d_double.cu'],
     'made': [('mesh.txt', mesh, 1024)], 'arguments': ['mesh.txt']},
    {'name': 'cfd/pre_euler3d', 'folder': 'cuda/cfd', 'sources': ['pre_euler3d.cu'],
     'made': [('mesh.txt', mesh, 1024)], 'arguments': ['mesh.txt']},
    {'name': 'cfd/pre_euler3d_double', 'folder': 'cuda/cfd', 'sources': ['pre_euler3d_double.cu'],
     'made': [('mesh.txt', mesh, 1024)], 'arguments': ['mesh.txt']},
    {'name': 'dwt2d', 'folder': 'cuda/dwt2d',
     'sources': ['main.cu', 'dwt.cu', 'components.cu', 'dwt_cuda/*.cu'], 'options': ['-I.'],
     'made': [('../../data/dwt2d/picture.bmp', picture, 192, 192)],
     'arguments': ['picture.bmp', '-d', '192x192', '-f', '-5', '-l', '3']},
    {'name': 'gaussian', 'folder': 'cuda/gaussian', 'sources': ['gaussian.cu'],
     'edits': [('gaussian.cu', 'deviceProp.clockRate', '0'), ('gaussian.cu', 'deviceProp. deviceOverlap', '1')],
     'arguments': ['-s', '64']},
    {'name': 'heartwall', 'folder': 'cuda/heartwall', 'sources': ['main.cu', 'AVI/*.c'], 'options': ['-I./AVI'],
     'needs': 'a film (test.avi), which is not part of the sources'},
    {'name': 'hotspot', 'folder': 'cuda/hotspot', 'sources': ['hotspot.cu'],
     'made': [('temp', numbers, 128 * 128, 320, 340), ('power', numbers, 128 * 128, 0, 0.01)],
     'arguments': ['128', '2', '4', 'temp', 'power', 'output.out']},
    {'name': 'hotspot3D', 'folder': 'cuda/hotspot3D', 'sources': ['3D.cu'],
     'made': [('temp', numbers, 64 * 64 * 8, 320, 340), ('power', numbers, 64 * 64 * 8, 0, 0.01)],
     'arguments': ['64', '8', '10', 'power', 'temp', 'output.out']},
    {'name': 'huffman', 'folder': 'cuda/huffman',
     'sources': ['main_test_cu.cu', 'vlc_kernel_sm64huff.cu', 'scan.cu', 'pack_kernels.cu', 'cpuencode.cpp',
                 'stats_logger.cpp'], 'options': ['-DTESTING', '-I.'],
     'edits': [('hist.cu', '!prop.deviceOverlap', '0')],
     'made': [('text.in', bytes_of_text, 65536)], 'arguments': ['text.in']},
    {'name': 'hybridsort', 'folder': 'cuda/hybridsort', 'sources': ['bucketsort.cu', 'mergesort.cu', 'main.cu'],
     'needs': TEXTURES},
    {'name': 'kmeans', 'folder': 'cuda/kmeans', 'needs': TEXTURES,
     'sources': ['kmeans_cuda.cu', 'cluster.c', 'getopt.c', 'kmeans.c', 'kmeans_clustering.c', 'rmse.c'],
     'made': [('points.txt', points, 2000, 16)], 'arguments': ['-o', '-i', 'points.txt']},
    {'name': 'lavaMD', 'folder': 'cuda/lavaMD', 'sources': ['main.c', 'kernel/*wrapper.cu', 'util/*/*.c', 'util/*/*.cu'],
     'options': ['-I.'], 'arguments': ['-boxes1d', '2']},
    {'name': 'leukocyte', 'folder': 'cuda/leukocyte/CUDA', 'sources': ['*.cu', '*.c'],
     'needs': 'a film (testfile.avi) and the library meschach, which are not part of the sources'},
    {'name': 'lud', 'folder': 'cuda/lud/cuda', 'sources': ['lud.cu', 'lud_kernel.cu', '../common/common.c'],
     'options': ['-I../common'], 'arguments': ['-s', '128', '-v'], 'failed': 'dismatch'},
    {'name': 'mummergpu', 'folder': 'cuda/mummergpu/src', 'sources': ['*.cu', '*.cpp'],
     'needs': TEXTURES},
    {'name': 'myocyte', 'folder': 'cuda/myocyte', 'sources': ['main.cu'], 'arguments': ['10', '1', '0']},
    {'name': 'nn', 'folder': 'cuda/nn', 'sources': ['nn_cuda.cu'], 'made': [('files.txt', hurricanes, 4000)],
     'arguments': ['files.txt', '-r', '5', '-lat', '30', '-lng', '90']},
    {'name': 'nw', 'folder': 'cuda/nw', 'sources': ['needle.cu'], 'arguments': ['256', '10']},
    {'name': 'particlefilter_naive', 'folder': 'cuda/particlefilter', 'sources': ['ex_particle_CUDA_naive_seq.cu'],
     'arguments': ['-x', '64', '-y', '64', '-z', '4', '-np', '500']},
    {'name': 'particlefilter_float', 'folder': 'cuda/particlefilter', 'sources': ['ex_particle_CUDA_float_seq.cu'],
     'arguments': ['-x', '64', '-y', '64', '-z', '4', '-np', '500']},
    {'name': 'pathfinder', 'folder': 'cuda/pathfinder', 'sources': ['pathfinder.cu'],
     'arguments': ['2000', '20', '4']},
    {'name': 'srad_v1', 'folder': 'cuda/srad/srad_v1', 'sources': ['main.cu'],
     'made': [('../../data/srad/image.pgm', pgm, 64, 64)], 'arguments': ['4', '0.5', '64', '64']},
    {'name': 'srad_v2', 'folder': 'cuda/srad/srad_v2', 'sources': ['srad.cu'], 'run': ['--slack=64K'],
     'note': 'with --slack=64K: it reads before its arrays',
     'arguments': ['128', '128', '0', '31', '0', '31', '0.5', '2']},
    {'name': 'streamcluster', 'folder': 'cuda/streamcluster',
     'sources': ['streamcluster_cuda_cpu.cpp', 'streamcluster_cuda.cu', 'streamcluster_header.cu'],
     'arguments': ['5', '10', '32', '1024', '1024', '100', 'none', 'output.txt', '1']},
]



def programs_in(folder):
    """One program for each folder with CUDA sources."""
    found = sorted({path.parent for path in folder.rglob('*.cu')})
    return [{'name': str(path.relative_to(folder)), 'folder': str(path.relative_to(folder)), 'guess': True,
             'sources': ['*.cu', '*.c', '*.cpp']} for path in found]


def hecbench(folder):
    """One program for each folder NAME-cuda, with its Makefile, which also has the arguments."""
    return [{'name': path.parent.name[:-len('-cuda')], 'folder': path.parent.name, 'makefile': True, 'guess': True,
             'alone': True, 'shared': sorted({'include', *beside(path.parent)})}
            for path in sorted(folder.glob('*-cuda/Makefile'))]


def beside(folder):
    """The folders of other programs that its Makefile and its sources name."""
    texts = [path.read_text(errors='replace') for path in [folder / 'Makefile', *folder.glob('*.[ch]*')]]
    return {name for text in texts for name in re.findall(r'\.\./([\w+-]+)/?', text)
            if name != folder.name and (folder.parent / name).is_dir()}


def samples(folder):
    """NVIDIA's samples, but those that draw, and those of single platforms."""
    return [sample(folder, path) for path in sorted(folder.glob('Samples/[0-6]_*/*/'))]


def sample(folder, path):
    text = ''.join(one.read_text(errors='replace') for one in [*path.glob('*.c*'), *path.glob('*.h'), *path.glob('src/*.c*')])
    needs = 'it draws with OpenGL, Vulkan or Direct3D' if any(
        word in text for word in ('glutInit', 'GL/gl', 'vulkan', 'd3d', 'EGL/', 'NvSci')) else None
    libraries = [option for option, header in LIBRARIES.items() if header in text]
    loaded = sorted({(name, source + '.cu') for name, source in
                     re.findall(r'"((\w+?)(?:64)?\.(?:fatbin|ptx))"', text) if (path / (source + '.cu')).exists()})
    at_run_time = {source for _, source in loaded}
    if '_nvrtc' in path.name:
        at_run_time |= {one.name for one in path.glob('*.cu')}
    sources = [one.name for one in sorted(path.glob('*.c*'))
               if one.suffix in ('.cu', '.cpp', '.c') and one.name not in at_run_time]
    if 'helper_multiprocess.h' in text:
        sources.append(folder / 'Common' / 'helper_multiprocess.cpp')
    program = {'name': path.name, 'folder': str(path.relative_to(folder)), 'modules': loaded,
               'sources': [*sources, 'src/*.cu', 'src/*.cpp'],
               'options': ['-I%s' % (folder / 'Common'), '-Iinc', '-std=c++17', '--extended-lambda', '-lcuda', *libraries],
               'guess': True, 'alone': True, **SMALLER.get(path.name, {})}
    if path.name.startswith('cdp'):
        program['options'] += ['-rdc=true', '-lcudadevrt']
    if needs:
        program['needs'] = needs
    return program


LIBRARIES = {'-lnvrtc': 'nvrtc', '-lcublas': 'cublas', '-lcufft': 'cufft', '-lcusparse': 'cusparse',
             '-lcusolver': 'cusolver', '-lcurand': 'curand.h', '-lnppc': 'npp', '-Xcompiler=-fopenmp': 'omp.h',
             '-lnvjpeg': 'nvjpeg', '-lnvJitLink': 'nvJitLink'}
MATRICES = ['-wA=128', '-hA=128', '-wB=128', '-hB=128']


def tiles(name, count):
    return {'edits': [(name + '.cu', '#define %s_TILES %d' % (one, count), '#define %s_TILES 8' % one) for one in 'MNK']}


# Samples that are too large: arguments and edits that make them smaller.
SMALLER = {
    'simpleAssert': {'passed': ('returned OK',)},
    'matrixMul': {'arguments': MATRICES, 'edits': [('matrixMul.cu', 'nIter = 300', 'nIter = 2')]},
    'globalToShmemAsyncCopy': {'arguments': MATRICES,
                               'edits': [('globalToShmemAsyncCopy.cu', 'nIter = 100', 'nIter = 2')]},
    'simplePitchLinearTexture': {'edits': [('simplePitchLinearTexture.cu', 'NUM_REPS 100', 'NUM_REPS 2')]},
    'convolutionSeparable': {'edits': [('main.cpp', '3072', '256'), ('main.cpp', 'iterations = 16', 'iterations = 1')]},
    'convolutionTexture': {'edits': [('main.cpp', '3072', '256'), ('main.cpp', 'iterations = 10', 'iterations = 1')]},
    'eigenvalues': {'arguments': ['--matrix-size=128', '--iters-timing=1']},
    'histogram': {'edits': [('main.cpp', '64 * 1048576', '262144'), ('main.cpp', 'numRuns  = 16', 'numRuns  = 1')]},
    'radixSortThrust': {'arguments': ['--n=8192', '--iterations=2']},
    'reduction': {'arguments': ['--n=65536'],
                  'edits': [('reduction.cpp', 'testIterations = 100', 'testIterations = 2')]},
    'reductionMultiBlockCG': {'arguments': ['--n=65536'],
                              'edits': [('reductionMultiBlockCG.cu', 'testIterations = 100', 'testIterations = 2')]},
    'scan': {'edits': [('main.cpp', '13 * 1048576 / 2', '262144'), ('main.cpp', 'iCycles = 100', 'iCycles = 1')]},
    'sortingNetworks': {'edits': [('main.cpp', 'N             = 1048576', 'N             = 16384')]},
    'bf16TensorCoreGemm': tiles('bf16TensorCoreGemm', 512), 'tf32TensorCoreGemm': tiles('tf32TensorCoreGemm', 512),
    'dmmaTensorCoreGemm': tiles('dmmaTensorCoreGemm', 1024), 'cudaTensorCoreGemm': tiles('cudaTensorCoreGemm', 256),
    'immaTensorCoreGemm': tiles('immaTensorCoreGemm', 256),
}
# By the option that names the folder: the suite's name, and the function that finds its programs.
SUITES = {'polybench': ('PolyBench-GPU', lambda folder: POLYBENCH), 'rodinia': ('Rodinia', lambda folder: RODINIA),
          'hecbench': ('HeCBench', hecbench), 'samples': ("NVIDIA's samples", samples)}
