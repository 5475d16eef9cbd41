# rustdoc's description of the library; nothing of an agent is ever described, so unstable output is no risk.
cp -a /kaiju/env/target/. "$CARGO_TARGET_DIR"/
# For rustdoc alone: build scripts of dependencies look at this variable, and would all be compiled again.
export RUSTDOC="$CARGO_TARGET_DIR/rustdoc.sh" RUSTDOCFLAGS=--cap-lints=allow
printf '#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec "%s" "$@"\n' "$(command -v rustdoc)" >"$RUSTDOC"
chmod +x "$RUSTDOC"
cargo rustdoc --lib --offline --locked --quiet -- -Z unstable-options --output-format json
cat "$CARGO_TARGET_DIR/doc/$1.json" >&"$KAIJU_REPORT_FD"
