#!/bin/sh
# Installs into a scratch tree and uses what came out: the command, then the library from
# programs built by pkg-config (shared and static) and from a CMake project. Then installs once
# more under another prefix, and moves that tree: sotto.pc follows.
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
    share/man/man1/sotto-account.1 share/bash-completion/completions/sotto \
    share/zsh/site-functions/_sotto share/fish/vendor_completions.d/sotto.fish \
    share/doc/sotto/reference/training.md share/doc/sotto/examples/train.c; do
    [ -f "$tree$prefix/$file" ] || { echo "missing: $file"; exit 1; }
done

PKG_CONFIG_PATH=$(dirname "$(find "$tree" -name sotto.pc)")
export PKG_CONFIG_PATH
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

echo "the front door: schema, training, model file, predictions"
example=$tree$prefix/share/doc/sotto/examples/train.c
[ "$(wc -l < "$example")" -lt 40 ] || { echo "examples/train.c has 40 lines or more"; exit 1; }
# shellcheck disable=SC2046
cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$example" $(pkg-config --cflags --libs sotto) -o "$tree/train"
"$tree/train" "$source/examples/smokers.schema.json" "$source/examples/survey.csv" "$tree/model.json" > "$tree/predictions"
[ "$(grep -cE '^(true|false) [01]\.[0-9]{4}$' "$tree/predictions")" -eq 400 ]
"$tree$prefix/bin/sotto" verify "$tree/model.json" > /dev/null
"$tree$prefix/bin/sotto" predict "$tree/model.json" "$source/examples/survey.csv" > "$tree/classes"
cut -d' ' -f1 "$tree/predictions" | cmp - "$tree/classes"
if "$tree/train" "$source/examples/smokers.schema.json" "$source/examples/nowhere.csv" "$tree/none.json" 2> "$tree/log"; then
    echo "a table that is not there trained a model"
    exit 1
fi
grep -q 'nowhere.csv' "$tree/log"

echo "the tutorial in C"
(cd "$source" && python3 tools/check_docs.py --sotto "$tree$prefix/bin/sotto" --page docs/tutorial/first-program.md)

echo "a CMake project"
cmake -S "$source/tests/install" -B "$tree/project" \
    -DCMAKE_PREFIX_PATH="$tree$prefix" > "$tree/log" 2>&1 &&
    cmake --build "$tree/project" >> "$tree/log" 2>&1 || { cat "$tree/log"; exit 1; }
"$tree/project/account" | grep -q "$answer"

echo "another prefix, and a tree that was moved"
unset LD_LIBRARY_PATH
[ "$1" != make ] || set -- cmake --install "$source/build/release"
DESTDIR='' "$@" --prefix "$tree/first" > "$tree/log" 2>&1 || { cat "$tree/log"; exit 1; }
for place in first second; do
    [ "$place" = first ] || mv "$tree/first" "$tree/second"
    PKG_CONFIG_PATH=$(dirname "$(find "$tree/$place" -name sotto.pc)")
    pkg-config --cflags sotto | grep -q "$tree/$place/"
    if pkg-config --cflags --libs sotto | grep -q "$prefix/include"; then
        echo "sotto.pc names the prefix of the build"
        exit 1
    fi
    # shellcheck disable=SC2046
    cc "$source/examples/account.c" $(pkg-config --cflags --libs sotto) -o "$tree/$place.out"
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$tree/$place.out" | grep -q "$answer"
done
