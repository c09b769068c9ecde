# find_package(ptxoffload) finds this file: the commands and, with COMPONENTS library, the target
# ptxoffload::ptxoffload of the library. There is no other component.
include("${CMAKE_CURRENT_LIST_DIR}/PtxoffloadCUDA.cmake")
if(NOT PTXOFFLOAD_EXECUTABLE OR NOT PTXOFFLOAD_NVCC_EXECUTABLE)
    set(ptxoffload_FOUND FALSE)
    set(ptxoffload_NOT_FOUND_MESSAGE "the programs ptxoffload and ptxoffload-nvcc are not there")
endif()

foreach(component IN LISTS ptxoffload_FIND_COMPONENTS)
    if(NOT component STREQUAL "library")
        set(ptxoffload_${component}_FOUND FALSE)
        if(ptxoffload_FIND_REQUIRED_${component})
            set(ptxoffload_FOUND FALSE)
            set(ptxoffload_NOT_FOUND_MESSAGE "there is no component ${component}, only library")
        endif()
    endif()
endforeach()

get_filename_component(ptxoffload_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_path(ptxoffload_INCLUDE_DIR ptxoffload/ptxoffload.h HINTS "${ptxoffload_prefix}/include")
find_library(ptxoffload_LIBRARY ptxoffload
    HINTS "${ptxoffload_prefix}"
    PATH_SUFFIXES "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib lib64)
if(ptxoffload_INCLUDE_DIR AND ptxoffload_LIBRARY)
    set(ptxoffload_library_FOUND TRUE)
    if(NOT TARGET ptxoffload::ptxoffload)
        add_library(ptxoffload::ptxoffload UNKNOWN IMPORTED)
        set_target_properties(ptxoffload::ptxoffload PROPERTIES
            IMPORTED_LOCATION "${ptxoffload_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${ptxoffload_INCLUDE_DIR}")
    endif()
elseif(ptxoffload_FIND_REQUIRED_library)
    set(ptxoffload_FOUND FALSE)
    set(ptxoffload_NOT_FOUND_MESSAGE "the library libptxoffload is not there")
endif()
