#!/bin/sh
# Starts the command line of the release that this file is in, with the Node that the release brings.
case $0 in
  */*) here=$0 ;;
  *) here=./$0 ;;
esac
while [ -L "$here" ]; do
  target=$(readlink "$here")
  case $target in
    /*) here=$target ;;
    *) here=${here%/*}/$target ;;
  esac
done
# kubectl starts its plugins by these names, wherever they are linked from.
case ${0##*/} in
  kubectl-crate | kubectl_complete-crate) program=bin/${0##*/}.mjs ;;
  *) program=dist/main.js ;;
esac
home=$(CDPATH='' cd -- "${here%/*}/.." && pwd -P) || exit 1
# Data of a platform outlives the release that made it.
if [ -n "${HOME:-}" ]; then
  export CRATE_DATA_DIR="${CRATE_DATA_DIR:-$HOME/.crate}"
fi
export PATH="${PATH:+$PATH:}$home/programs"
exec "$home/bin/node" --enable-source-maps "$home/services/cli/$program" "$@"
