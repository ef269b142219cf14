#!/usr/bin/env bash
# Builds ../www/three.js.gz from the npm package of three.js: the parts that entry.js names, with the licence. With the name of a
# file, it builds that instead, without compression. Needs node and npm.
set -euo pipefail
packed=$(realpath "$(dirname "$0")/../www/three.js.gz")
to=${1:+$(realpath "$1")}
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp entry.js package.json package-lock.json "$work"
cd "$work"
npm ci --ignore-scripts --no-fund --no-audit
licence=$(cat node_modules/three/LICENSE)
npx esbuild entry.js --bundle --minify --format=esm --target=es2022 --legal-comments=none \
	--banner:js="/* three.js 0.187.0

$licence
*/" --outfile="${to:-$work/three.js}"
[ -n "$to" ] || gzip -9nc "$work/three.js" >"$packed"
