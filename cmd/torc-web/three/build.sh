#!/usr/bin/env bash
# Builds ../www/three.js, or the file that is named, from the npm package of three.js: the parts that entry.js names, with the
# licence. Needs node and npm.
set -euo pipefail
to=$(realpath "${1:-$(dirname "$0")/../www/three.js}")
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
*/" --outfile="$to"
