#!/bin/sh
# Installs into a scratch tree and uses what came out: the command, then the library from a
# program built by pkg-config (shared and static) and from a CMake project.
#
#   run.sh PREFIX COMMAND...     COMMAND installs into $DESTDIR under PREFIX
set -eu
prefix=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

DESTDIR=$tree "$@" > "$tree/log" 2>&1 || { cat "$tree/log"; exit 1; }

echo "the command runs from where it was put"
"$tree$prefix/bin/sotto" account epsilon --noise-multiplier 2 --delta 1e-5 > /dev/null

echo "everything is there"
for file in include/sotto/sotto.h include/sotto/version.h share/man/man1/sotto.1 \
    share/man/man1/sotto-account.1 share/bash-completion/completions/sotto; do
    [ -f "$tree$prefix/$file" ] || { echo "missing: $file"; exit 1; }
done

PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name sotto.pc)")
PKG_CONFIG_SYSROOT_DIR=$tree
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export LD_LIBRARY_PATH
answer="epsilon is between 2\.38[0-9]* and 2\.38[0-9]* at delta 1e-05"

echo "a program with the shared library"
# shellcheck disable=SC2046 # flags are words
cc "$source/examples/account.c" $(pkg-config --cflags --libs sotto) -o "$tree/shared"
"$tree/shared" | grep -q "$answer"

echo "a program with the static library"
# shellcheck disable=SC2046
cc "$source/examples/account.c" $(pkg-config --cflags sotto) \
    $(pkg-config --static --libs sotto | sed 's/-lsotto/-l:libsotto.a/') -o "$tree/static"
LD_LIBRARY_PATH='' "$tree/static" | grep -q "$answer"

echo "a CMake project"
cmake -S "$source/tests/install" -B "$tree/project" \
    -DCMAKE_PREFIX_PATH="$tree$prefix" > "$tree/log" 2>&1 &&
    cmake --build "$tree/project" >> "$tree/log" 2>&1 || { cat "$tree/log"; exit 1; }
"$tree/project/account" | grep -q "$answer"
