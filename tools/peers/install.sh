#!/bin/sh
# Puts the simulators that compare.py and queues.py run into a folder: sh tools/peers/install.sh FOLDER
set -eu
folder=${1:?expected a folder}
mkdir -p "$folder"

if [ ! -x "$folder/ns3/bin/python" ]; then
    python3 -m venv "$folder/ns3"
fi
"$folder/ns3/bin/pip" install --quiet ns3 || echo "ns-3: its wheel could not be installed" >&2

if [ ! -d "$folder/htsim" ]; then
    git clone --quiet https://github.com/Broadcom/csg-htsim "$folder/htsim" || echo "htsim: no sources" >&2
fi
if [ -d "$folder/htsim/sim" ]; then
    make -s -C "$folder/htsim/sim" libhtsim.a >/dev/null
fi

if ! command -v ns >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get install --yes ns2
    else
        echo "ns-2: install the package ns2 (Debian and its relatives), or another ns-2 called ns" >&2
    fi
fi
