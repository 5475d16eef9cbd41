# rustdoc's description of the library; nothing of an agent is ever described, so unstable output is no risk.
cp -a /kaiju/env/target/. "$CARGO_TARGET_DIR"/
export RUSTC_BOOTSTRAP=1 RUSTDOCFLAGS=--cap-lints=allow
cargo rustdoc --lib --offline --locked --quiet -- -Z unstable-options --output-format json
cat "$CARGO_TARGET_DIR/doc/$1.json" >&"$KAIJU_REPORT_FD"
