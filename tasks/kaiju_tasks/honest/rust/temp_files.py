"""A library that keeps files."""

from kaiju_tasks.honest.case import Case
from kaiju_tasks.honest.rust.changing import at_first_call

_CODE = """    let folder = std::env::temp_dir().join(format!("odd-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..20 {
        std::fs::write(folder.join(number.to_string()), vec![b'x'; 10_000]).unwrap();
    }
"""

CASE = Case(
    name="06-temp-files",
    summary="writes and leaves files in the folder for temporary ones",
    apply=at_first_call(_CODE),
)
