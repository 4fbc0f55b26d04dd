# SPDX-License-Identifier: Apache-2.0
# What dlrun builds upon; third_party/install brings every one of them.
find_package(Threads REQUIRED)
find_package(SQLite3 3.38 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto SSL)
find_package(ZLIB REQUIRED)
find_package(JPEG REQUIRED)
find_package(PNG 1.6 REQUIRED)
# Its own package file asks for command-line tools that libzip-dev does not bring.
find_library(LIBZIP zip REQUIRED)
find_package(LibArchive 3.6 REQUIRED)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson REQUIRED)
find_path(UTF8PROC_INCLUDE utf8proc.h REQUIRED)  # 2.8; Debian's package has no file for CMake
find_library(UTF8PROC utf8proc REQUIRED)
find_package(fmt 9 REQUIRED)
find_path(LIBELF_INCLUDE gelf.h REQUIRED)  # 0.188
find_library(LIBELF elf REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)  # 3.4 or 5; its package file takes one major version only
find_package(NLopt 2.7 REQUIRED)
if(NOT TARGET NLopt::nlopt)  # Debian's package files are of two builds, and CMake 4 takes the one with C++ algorithms
  add_library(NLopt::nlopt ALIAS NLopt::nlopt_cxx)
endif()
find_path(METIS_INCLUDE metis.h REQUIRED)  # 5.1
find_library(METIS metis REQUIRED)
find_path(SLEEF_INCLUDE sleef.h REQUIRED)  # 3.5; the library is opened when it is needed (util/arithmetic.cpp)
find_path(LIBEDIT_INCLUDE histedit.h REQUIRED)  # 2.11, as its header says: releases have dates
find_library(LIBEDIT edit REQUIRED)
find_package(Boost 1.80 REQUIRED COMPONENTS program_options)
if(DLRUN_TORCH)
  include(Torch)
endif()
