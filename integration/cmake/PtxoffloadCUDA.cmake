# CMake functions that put ptxoffload into a build; needs CMake 3.20.
#
#   ptxoffload_target(TARGET [METADATA_DIR FOLDER] [OPTIONS OPTION...])
#
# The CUDA sources of TARGET are compiled with ptxoffload between compiler and assembler. Tagged PTX
# and metadata lie beside each object, or in FOLDER. OPTIONs are ptxoffload's.
#
#   ptxoffload_tag_ptx(VARIABLE FILE... [OPTIONS OPTION...])
#
# Each PTX FILE is tagged into the build folder. VARIABLE becomes the list of the tagged files; the
# metadata lie beside them with .json for .ptx. The files are made when a target depends on them.

find_program(PTXOFFLOAD_EXECUTABLE ptxoffload
    HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin"
    DOC "finds and tags instructions to be run near the data")
find_program(PTXOFFLOAD_NVCC_EXECUTABLE ptxoffload-nvcc
    HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin"
    DOC "nvcc with ptxoffload in it")

function(ptxoffload_target target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "METADATA_DIR" "OPTIONS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ptxoffload_target does not know: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    set(launcher "${PTXOFFLOAD_NVCC_EXECUTABLE}" "--ptxoffload=${PTXOFFLOAD_EXECUTABLE}")
    if(arg_METADATA_DIR)
        get_filename_component(folder "${arg_METADATA_DIR}" ABSOLUTE
            BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
        list(APPEND launcher "--ptxoffload-metadata=${folder}")
    endif()
    foreach(option IN LISTS arg_OPTIONS)
        list(APPEND launcher "-Xptxoffload=${option}")
    endforeach()
    set_property(TARGET ${target} PROPERTY CUDA_COMPILER_LAUNCHER "${launcher}")
endfunction()

function(ptxoffload_tag_ptx variable)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
    set(tagged "")
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(input "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME_WLE)
        set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.tagged")
        if("${output}.ptx" IN_LIST tagged)
            message(FATAL_ERROR "ptxoffload_tag_ptx: two files are called ${name}")
        endif()
        add_custom_command(
            OUTPUT "${output}.ptx" "${output}.json"
            COMMAND "${PTXOFFLOAD_EXECUTABLE}" "${input}" -o "${output}.ptx"
                "--metadata=${output}.json" -MD -MF "${output}.d" ${arg_OPTIONS}
            DEPENDS "${input}" "${PTXOFFLOAD_EXECUTABLE}"
            DEPFILE "${output}.d"
            COMMENT "Tagging ${name}.ptx"
            VERBATIM)
        list(APPEND tagged "${output}.ptx")
    endforeach()
    set(${variable} "${tagged}" PARENT_SCOPE)
endfunction()
