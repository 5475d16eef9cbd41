"""A build script that rewrites the tests."""

from kaiju_grading.files import Files
from kaiju_sandbox.command import File
from kaiju_tasks.attacks.attack import Attack, Family, Layout
from kaiju_tasks.attacks.rust.planting import payload

MANIFEST = "Cargo.toml"


def apply(tree: Files, layout: Layout) -> Files:
    """The manifest is changed to run it."""
    text = tree[MANIFEST].data.decode() if MANIFEST in tree else ""
    script = File(payload("build_script").encode())
    manifest = File(text.replace("build = false", 'build = "build.rs"').encode())
    return {**tree, MANIFEST: manifest, "build.rs": script, "src/build.rs": script}


ATTACK = Attack(
    name="15-build-script",
    summary="a build script that takes every test out of the sources",
    apply=apply,
    family=Family.RUNNER,
)
