# find_package(ptxoffload) finds this file.
include("${CMAKE_CURRENT_LIST_DIR}/PtxoffloadCUDA.cmake")
if(NOT PTXOFFLOAD_EXECUTABLE OR NOT PTXOFFLOAD_NVCC_EXECUTABLE)
    set(ptxoffload_FOUND FALSE)
    set(ptxoffload_NOT_FOUND_MESSAGE "the programs ptxoffload and ptxoffload-nvcc are not there")
endif()
