# The tree's own build, of a copy that it may write into.
cp -a /kaiju/env/target/. "$CARGO_TARGET_DIR"/
cp -r /kaiju/work /tmp/tree && chmod -R u+w /tmp/tree && cd /tmp/tree && exec cargo build --offline
