# Compiles the dependencies of an empty package, in every way in which tasks need them, and keeps them.
set -eu
cargo build --lib --tests --offline --locked --quiet
cargo check --lib --tests --offline --locked --quiet
rm -rf "$CARGO_TARGET_DIR"/debug/incremental
# The package itself is no dependency: its name is the argument.
cargo clean --offline --locked --quiet -p "$1"
mkdir -p /kaiju/target/keep
cp -a "$CARGO_TARGET_DIR"/debug "$CARGO_TARGET_DIR"/.rustc_info.json "$CARGO_TARGET_DIR"/keep/ 2>/dev/null || cp -a "$CARGO_TARGET_DIR"/debug "$CARGO_TARGET_DIR"/keep/
