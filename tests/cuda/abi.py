#!/usr/bin/env python3
"""Our libraries beside the toolkit's: names, versions, and layouts of structures, where it is installed.

usage: abi.py BUILD-ROOT
"""
import re
import shutil
import subprocess
import sys

import lib
from cuda_toolkit import toolkit
from tap import Skip, case, ends, main, run, same

ROOT = lib.PROGRAMS.parents[2]
CUDA = lib.BUILD / 'cli' / 'cuda'
# Our structure, the toolkit's, and pairs of members.
LAYOUTS = [
    ('cuda_pitched', 'cudaPitchedPtr', 'ptr:ptr pitch:pitch xsize:xsize ysize:ysize'),
    ('cuda_extent', 'cudaExtent', 'width:width height:height depth:depth'),
    ('cuda_channels', 'cudaChannelFormatDesc', 'x:x w:w kind:f'),
    ('cuda_copy3d', 'cudaMemcpy3DParms',
     'source_array:srcArray source_at:srcPos source:srcPtr to_array:dstArray to_at:dstPos to:dstPtr '
     'extent:extent kind:kind'),
    ('cuda_copy3d_peer', 'cudaMemcpy3DPeerParms', 'source_device:srcDevice to_device:dstDevice extent:extent'),
    ('cuda_resource', 'cudaResourceDesc',
     'type:resType array:res.array.array linear.at:res.linear.devPtr linear.channels:res.linear.desc '
     'linear.bytes:res.linear.sizeInBytes pitch.width:res.pitch2D.width pitch.pitch:res.pitch2D.pitchInBytes '
     'flags:flags'),
    ('cuda_texture_how', 'cudaTextureDesc',
     'address:addressMode filter:filterMode read:readMode border:borderColor normalized:normalizedCoords'),
    ('cuda_view', 'cudaResourceViewDesc',
     'format:format width:width depth:depth first_level:firstMipmapLevel last_layer:lastLayer'),
    ('cuda_view', 'CUDA_RESOURCE_VIEW_DESC', 'format:format last_level:lastMipmapLevel first_layer:firstLayer'),
    ('cuda_array_needs', 'cudaArrayMemoryRequirements', 'bytes:size alignment:alignment'),
    ('driver_array', 'CUDA_ARRAY_DESCRIPTOR', 'width:Width format:Format channels:NumChannels'),
    ('driver_array3d', 'CUDA_ARRAY3D_DESCRIPTOR', 'depth:Depth format:Format channels:NumChannels flags:Flags'),
    ('driver_resource', 'CUDA_RESOURCE_DESC',
     'type:resType array:res.array.hArray linear.format:res.linear.format linear.bytes:res.linear.sizeInBytes '
     'pitch.channels:res.pitch2D.numChannels pitch.pitch:res.pitch2D.pitchInBytes flags:flags'),
    ('driver_texture_how', 'CUDA_TEXTURE_DESC',
     'address:addressMode filter:filterMode flags:flags mipmap_bias:mipmapLevelBias mipmap_max:maxMipmapLevelClamp '
     'border:borderColor'),
    ('cuda_function_attributes', 'cudaFuncAttributes',
     'shared_bytes:sharedSizeBytes local_bytes:localSizeBytes max_threads:maxThreadsPerBlock registers:numRegs '
     'ptx_version:ptxVersion max_dynamic_shared:maxDynamicSharedSizeBytes cluster:requiredClusterWidth'),
    ('cuda_launch_attribute', 'cudaLaunchAttribute', 'id:id cooperative:val.cooperative cluster:val.clusterDim'),
    ('cuda_launch_config', 'cudaLaunchConfig_t',
     'grid:gridDim block:blockDim shared:dynamicSmemBytes stream:stream attributes:attrs attribute_count:numAttrs'),
    ('driver_launch_config', 'CUlaunchConfig',
     'grid:gridDimX block:blockDimX shared:sharedMemBytes stream:hStream attributes:attrs attribute_count:numAttrs'),
    ('driver_copy2d', 'CUDA_MEMCPY2D',
     'source:srcXInBytes source.type:srcMemoryType source.pitch:srcPitch to:dstXInBytes to.array:dstArray width:WidthInBytes'),
    ('driver_copy3d', 'CUDA_MEMCPY3D',
     'source.level:srcLOD source.device:srcDevice source.height:srcHeight to.z:dstZ to.pitch:dstPitch depth:Depth'),
    ('cuda_pool_properties', 'cudaMemPoolProps', 'type:allocType location:location max:maxSize'),
    ('cuda_kernel_node', 'cudaKernelNodeParams',
     'function:func grid:gridDim block:blockDim shared:sharedMemBytes parameters:kernelParams extra:extra'),
    ('cuda_set_node', 'cudaMemsetParams', 'to:dst pitch:pitch value:value element:elementSize height:height'),
    ('cuda_host_node', 'cudaHostNodeParams', 'function:fn context:userData'),
    ('cuda_access', 'cudaMemAccessDesc', 'location:location flags:flags'),
    ('cuda_alloc_node', 'cudaMemAllocNodeParams',
     'access:accessDescs access_count:accessDescCount bytes:bytesize at:dptr'),
    ('cuda_condition_node', 'cudaConditionalNodeParams', 'handle:handle type:type count:size graphs:phGraph_out'),
    ('cuda_node_params', 'cudaGraphNodeParams',
     'type:type values.kernel:kernel values.copy.of:memcpy.copyParams values.set:memset values.event:eventWait.event '
     'values.alloc:alloc values.released:free.dptr values.condition:conditional reserved2:reserved2'),
    ('cuda_node_params', 'CUgraphNodeParams', 'values.driver_copy.of:memcpy.copyParams values.condition:conditional'),
    ('driver_physical', 'CUmemAllocationProp', 'type:type location:location compression:allocFlags'),
    ('cuda_graph_update', 'cudaGraphExecUpdateResultInfo', 'result:result node:errorNode'),
    ('cuda_instantiate', 'cudaGraphInstantiateParams', 'flags:flags result:result_out'),
]
PROPERTIES = {'total_global': 'totalGlobalMem', 'major': 'major', 'multiprocessors': 'multiProcessorCount',
              'l2_bytes': 'l2CacheSize', 'managed': 'managedMemory', 'cooperative': 'cooperativeLaunch',
              'clusters': 'clusterLaunch', 'blocks_per_multiprocessor': 'maxBlocksPerMultiProcessor'}


def header(name):
    path = toolkit() / 'include' / name
    if not path.exists():
        raise Skip('the toolkit has no headers')
    return path


def exports(library):
    done = subprocess.run(['nm', '-D', '--defined-only', library], check=True, stdout=subprocess.PIPE)
    return {line.split()[-1] for line in done.stdout.decode().splitlines() if line.split()[1] in 'TW'}


@case
def names(folder):
    """libcudart.so.13 has all functions of the toolkit's, with the same versions"""
    real = next(iter(sorted((toolkit() / 'lib64').glob('libcudart.so.13*'))), None)
    if not real:
        raise Skip('the toolkit has no libcudart.so.13')
    same(sorted(exports(real) - exports(CUDA / 'libcudart.so.13')), [])


@case
def static_names(folder):
    """the static runtime has no function that libcudart.so.13 lacks"""
    real = next(iter(sorted(toolkit().glob('lib*/libcudart_static.a'))), None)
    if not real:
        raise Skip('the toolkit has no libcudart_static.a')
    done = subprocess.run(['nm', '--defined-only', real], check=True, stdout=subprocess.PIPE)
    found = set(re.findall(r' [tTW] (_*cuda[A-Z]\w*)$', done.stdout.decode(), re.M))
    assert len(found) > 400, found
    same(sorted(found - {name.split('@')[0] for name in exports(CUDA / 'libcudart.so.13')}), [])


@case
def driver_names(folder):
    """libcuda.so.1 has all functions of the toolkit's stub"""
    real = toolkit() / 'lib64' / 'stubs' / 'libcuda.so'
    if not real.exists():
        raise Skip('the toolkit has no stub of libcuda.so')
    same(sorted(exports(real) - exports(CUDA / 'libcuda.so.1')), [])


@case
def sonames(folder):
    """the libraries have NVIDIA's names"""
    for name in ('libcudart.so.12', 'libcudart.so.13', 'libcuda.so.1'):
        done = subprocess.run(['readelf', '-d', CUDA / name], check=True, stdout=subprocess.PIPE)
        same(re.findall(r'SONAME.*\[(.*)\]', done.stdout.decode()), [name])
    for version in ('12', '13'):
        name = 'libcudart.so.' + version
        same({word.rsplit('@', 1)[1] for word in exports(CUDA / name) if '@' in word}, {name})


@case
def layouts(folder):
    """structures have the layout of the toolkit's headers"""
    lines = []
    for ours, theirs, members in LAYOUTS:
        for pair in members.split():
            one, other = pair.split(':')
            lines.append('static_assert(offsetof(struct %s, %s) == offsetof(%s, %s), "%s %s");' % (
                ours, one, theirs, other, ours, one))
        if ours not in ('cuda_launch_attribute',):
            lines.append('static_assert(sizeof(struct %s) == sizeof(%s), "%s");' % (ours, theirs, ours))
    lines += ['#define MEMBER_B(type, name, elements) type name[elements];',
              '#define MEMBER_N(type, name, elements) type name[elements];',
              '#define MEMBER_T(type, name, elements)', 'typedef struct {',
              '#define PROPERTY(versions, type, name, elements, ...) MEMBER_##versions(type, name, elements)',
              '#include "runtime-sim/cuda/properties.def"', '} properties;',
              'static_assert(sizeof(properties) == sizeof(cudaDeviceProp), "properties");']
    lines += ['static_assert(offsetof(properties, %s) == offsetof(cudaDeviceProp, %s), "%s");' % (
        ours, theirs, ours) for ours, theirs in PROPERTIES.items()]
    (folder / 'layouts.cpp').write_text(
        '#include <cstddef>\n#include <cuda.h>\n#include <cuda_runtime.h>\n#include "runtime-sim/cuda/abi.h"\n' + '\n'.join(lines))
    compiler = shutil.which('g++') or 'c++'
    header('cuda_runtime.h')
    ends(run([compiler, '-std=c++17', '-w', '-fsyntax-only', '-I' + str(ROOT),
              '-I' + str(toolkit() / 'include'), 'layouts.cpp'], folder), 0)


@case
def errors(folder):
    """numbers and names of errors are the toolkit's"""
    said = header('driver_types.h').read_text(errors='replace')
    theirs = dict(re.findall(r'^\s*(cuda(?:Error\w+|Success))\s*=\s*(\d+)', said, re.M))
    rows = (ROOT / 'runtime-sim' / 'cuda' / 'errors.def').read_text()
    ours = {name: number for number, name in re.findall(r'CUDA_ERROR\((\d+), (\w+),', rows)}
    same({name: theirs.get(name) for name in ours if name in theirs},
         {name: number for name, number in ours.items() if name in theirs})


@case
def driver_errors(folder):
    """numbers and names of the driver's errors are the toolkit's"""
    said = header('cuda.h').read_text(errors='replace')
    rows = (ROOT / 'runtime-sim' / 'cuda' / 'driver_errors.def').read_text()
    same(dict(re.findall(r'DRIVER_ERROR\((\d+), (\w+)\)', rows)),
         {number: name for name, number in
          re.findall(r'^\s*(CUDA_(?:ERROR_\w+|SUCCESS))\s*=\s*(\d+)', said, re.M)})


main()
